#include "frontends/cuda/inject/address_ranges.h"

namespace redflag::inject {
namespace {

constexpr std::uint64_t kAlign = 512;  // of what textures lie on

std::uint64_t up(std::uint64_t bytes, std::uint64_t to) {
  return (bytes + to - 1) / to * to;
}

}  // namespace

std::uint64_t AddressRanges::reserve(std::uint64_t bytes) {
  const std::uint64_t address = reserve_(bytes);
  if (address != 0) chunks_[address].bytes = bytes;
  return address;
}

std::uint64_t AddressRanges::take(std::uint64_t bytes) {
  const std::uint64_t size = up(bytes == 0 ? 1 : bytes, kAlign);
  std::uint64_t chunk = 0;
  if (size > kShared / 2) {
    chunk = reserve(up(size, kGranularity));
  } else {
    const auto at = chunks_.find(current_);
    if (at == chunks_.end() || at->second.used + size > at->second.bytes) {
      current_ = reserve(kShared);
    }
    chunk = current_;
  }
  if (chunk == 0) return 0;
  Chunk& of = chunks_[chunk];
  const std::uint64_t address = chunk + of.used;
  of.used += size;
  ++of.ranges;
  taken_[address] = chunk;
  return address;
}

void AddressRanges::give_back(std::uint64_t address) {
  const auto at = taken_.find(address);
  if (at == taken_.end()) return;
  const std::uint64_t chunk = at->second;
  taken_.erase(at);
  Chunk& of = chunks_[chunk];
  if (--of.ranges != 0) return;
  if (chunk == current_) {
    of.used = 0;
    return;
  }
  release_(chunk, of.bytes);
  chunks_.erase(chunk);
}

}  // namespace redflag::inject
