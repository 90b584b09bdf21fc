#include "frontends/cuda/inject/links.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "frontends/cuda/fatbin/binary.h"
#include "frontends/cuda/inject/cache.h"

namespace redflag::inject {
namespace {

// Nothing where a part of it has no PTX.
std::vector<Input> ptx_of(const Input& input, std::uint32_t sm) {
  const Result<fatbin::Binary> binary = fatbin::parse_binary(input.name, input.bytes);
  if (!binary) return {};
  std::set<std::uint32_t> parts;
  for (const fatbin::Entry& entry : binary->entries) parts.insert(entry.container);
  const std::vector<const fatbin::Entry*> chosen = fatbin::choose_ptx(binary->entries, sm);
  if (chosen.size() != parts.size()) return {};
  std::vector<Input> made;
  for (const fatbin::Entry* entry : chosen) {
    Result<std::string> text = fatbin::unpack(*entry);
    if (!text) return {};
    made.push_back({kJitInputPtx, std::move(*text), input.name});
  }
  return made;
}

}  // namespace

std::vector<Input> opened(const std::vector<Input>& inputs, std::uint32_t sm) {
  std::vector<Input> all;
  for (const Input& input : inputs) {
    std::vector<Input> inside;
    if (input.kind == kJitInputFatBinary || input.kind == kJitInputObject) {
      inside = ptx_of(input, sm);
    }
    if (inside.empty()) {
      all.push_back(input);
    } else {
      std::move(inside.begin(), inside.end(), std::back_inserter(all));
    }
  }
  return all;
}

std::size_t elf_bytes(const void* image) {
  const auto* const bytes = static_cast<const char*>(image);
  // Text and wrappers may be shorter than a header.
  if (std::strncmp(bytes, ELFMAG, SELFMAG) != 0) return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof(header));
  std::size_t end = sizeof(header);
  end = std::max(end, header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
  end = std::max(end, header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize);
  for (std::size_t i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

std::string key_of_code(const void* image) {
  const std::size_t bytes = elf_bytes(image);
  if (bytes == 0) return {};
  return cache_key({std::string_view(static_cast<const char*>(image), bytes)});
}

void Links::create(CUlinkState state, std::string why) {
  states_[state] = std::make_shared<Link>(Link{{}, std::move(why)});
}

void Links::add(CUlinkState state, Input input) {
  const auto at = states_.find(state);
  if (at == states_.end()) return;
  // PTX is given as a string, with the zero byte that ends it or without.
  if (input.kind == kJitInputPtx) {
    while (!input.bytes.empty() && input.bytes.back() == '\0') input.bytes.pop_back();
  }
  at->second->inputs.push_back(std::move(input));
}

void Links::complete(CUlinkState state, const void* code) {
  const auto at = states_.find(state);
  if (at == states_.end() || code == nullptr) return;
  if (std::string key = key_of_code(code); !key.empty()) made_[std::move(key)] = at->second;
}

std::shared_ptr<const Link> Links::find(const std::string& key_of_code) const {
  const auto at = made_.find(key_of_code);
  return at == made_.end() ? nullptr : at->second;
}

}  // namespace redflag::inject
