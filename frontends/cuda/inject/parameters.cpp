#include "frontends/cuda/inject/parameters.h"

#include <algorithm>
#include <cstring>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

Block block_in(void** extra) {
  Block made;
  for (void** at = extra; reinterpret_cast<std::uintptr_t>(*at) != kParamEnd; at += 2) {
    const auto word = reinterpret_cast<std::uintptr_t>(*at);
    if (word == kParamBufferPointer) made.at = at[1];
    if (word == kParamBufferSize) made.bytes = *static_cast<const std::size_t*>(at[1]);
  }
  return made;
}

Parameters::Parameters(std::uint32_t own, std::uint32_t offset, std::uint64_t number, void** params,
                       void** extra)
    : number_(number) {
  if (extra == nullptr) {
    // A kernel without parameters may be given none at all.
    if (params != nullptr) pointers_.assign(params, params + own);
    pointers_.resize(own, nullptr);
    pointers_.push_back(&number_);
    return;
  }
  const Block given = block_in(extra);
  block_.resize(offset + sizeof(number_));
  if (given.at != nullptr) {
    std::memcpy(block_.data(), given.at, std::min<std::size_t>(given.bytes, offset));
  }
  std::memcpy(block_.data() + offset, &number_, sizeof(number_));
  size_ = block_.size();
  words_ = {reinterpret_cast<void*>(kParamBufferPointer), block_.data(),
            reinterpret_cast<void*>(kParamBufferSize), &size_, nullptr};
}

}  // namespace redflag::inject
