// How a container of GPU code is laid out: the headers that container.cpp reads and writer.cpp
// writes.
#pragma once

#include <cstdint>

namespace redflag::fatbin {

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  // behind the header
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;   // with options
  std::uint64_t payload_bytes;  // padded to 8
  std::uint32_t packed_bytes;   // of compressed data without padding
  std::uint32_t options_offset;
  std::uint32_t unknown;
  std::uint32_t sm;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t unknown2;
  std::uint64_t unpacked_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

}  // namespace redflag::fatbin
