#include "frontends/cuda/inject/relocatable.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "frontends/cuda/fatbin/binary.h"
#include "frontends/cuda/inject/files.h"
#include "frontends/cuda/inject/wrapper.h"

namespace redflag::inject {
namespace {

// Containers that the wrapper names.
std::vector<fatbin::Entry> named(const Wrapper& wrapper) {
  std::vector<fatbin::Entry> all;
  if (wrapper.version < 2 || wrapper.objects == nullptr) return all;
  std::uint32_t number = 0;
  for (const void* const* at = wrapper.objects; *at != nullptr; ++at, ++number) {
    Result<std::vector<fatbin::Entry>> found = fatbin::read_memory(*at);
    if (!found) return {};
    for (fatbin::Entry& entry : *found) {
      entry.container = number;
      all.push_back(std::move(entry));
    }
  }
  return all;
}

// Machine code runs on GPUs of its generation from its own number on.
const fatbin::Entry* best(const std::vector<const fatbin::Entry*>& part, std::uint32_t sm) {
  const fatbin::Entry* found = nullptr;
  for (const fatbin::Entry* entry : part) {
    const bool is_ptx = entry->kind == fatbin::Kind::kPtx;
    const bool runs = entry->sm <= sm &&
                      (is_ptx || (entry->kind == fatbin::Kind::kElf && entry->sm / 10 == sm / 10));
    if (!runs) continue;
    const bool better = found == nullptr || (is_ptx && found->kind != fatbin::Kind::kPtx) ||
                        (found->kind == entry->kind && entry->sm > found->sm);
    if (better) found = entry;
  }
  return found;
}

std::vector<Input> chosen(const std::vector<fatbin::Entry>& entries, std::uint32_t sm,
                          const std::string& file) {
  std::vector<Input> inputs;
  bool has_ptx = false;
  for (std::size_t from = 0; from < entries.size();) {
    std::vector<const fatbin::Entry*> part;
    const std::uint32_t number = entries[from].container;
    for (; from < entries.size() && entries[from].container == number; ++from) {
      part.push_back(&entries[from]);
    }
    const fatbin::Entry* const entry = best(part, sm);
    if (entry == nullptr) continue;
    Result<std::string> bytes = fatbin::unpack(*entry);
    if (!bytes) return {};
    const bool is_ptx = entry->kind == fatbin::Kind::kPtx;
    has_ptx = has_ptx || is_ptx;
    inputs.push_back({is_ptx ? kJitInputPtx : kJitInputCode, std::move(*bytes),
                      file + ":object" + std::to_string(inputs.size() + 1)});
  }
  return has_ptx ? inputs : std::vector<Input>();
}

}  // namespace

std::vector<Input> objects_of(const void* image, std::uint32_t sm) {
  Wrapper wrapper{};
  std::memcpy(&wrapper.magic, image, sizeof(wrapper.magic));
  if (wrapper.magic != fatbin::kWrapperMagic) return {};
  std::memcpy(&wrapper, image, offsetof(Wrapper, objects));
  if (wrapper.version >= 2) std::memcpy(&wrapper, image, sizeof(wrapper));
  const std::string file = file_of(image);
  if (std::vector<Input> inputs = chosen(named(wrapper), sm, file); !inputs.empty()) return inputs;
  if (file.empty()) return {};
  Result<fatbin::Binary> binary = fatbin::open_binary(file);
  if (!binary) return {};
  std::erase_if(binary->entries, [](const fatbin::Entry& entry) { return !entry.relocatable; });
  return chosen(binary->entries, sm, file);
}

}  // namespace redflag::inject
