// Record files written by hand, for tests and fuzz seeds: a literal list of what a process left.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cpu/wire/record.h"

namespace redflag::collect::testing {

// One chunk of entries as bytes, padded to its full size.
template <typename Entry>
std::string chunk(wire::ChunkKind kind, std::uint32_t thread, const std::vector<Entry>& entries) {
  wire::ChunkHeader header;
  header.kind = kind;
  header.count = static_cast<std::uint32_t>(entries.size());
  header.thread = thread;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  for (const Entry& entry : entries) {
    bytes.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
  }
  bytes.resize(wire::kChunkBytes);
  return bytes;
}

inline std::string events(std::uint32_t thread, const std::vector<wire::RecordedEvent>& entries) {
  return chunk(wire::ChunkKind::kEvents, thread, entries);
}
inline std::string contexts(const std::vector<wire::RecordedContext>& entries) {
  return chunk(wire::ChunkKind::kContexts, 0, entries);
}
inline std::string modules(std::string_view text) {
  return chunk(wire::ChunkKind::kModules, 0, std::vector<char>(text.begin(), text.end()));
}

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace redflag::collect::testing
