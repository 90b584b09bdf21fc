#include "core/trace/format.h"

#include <xxhash.h>

namespace redflag::rft {

std::uint32_t file_header_check(const FileHeader& header) {
  return static_cast<std::uint32_t>(XXH3_64bits(&header, offsetof(FileHeader, check)));
}

std::uint64_t block_checksum(const BlockHeader& header, const void* payload, std::uint64_t offset) {
  const std::uint64_t seed = XXH3_64bits_withSeed(&header, offsetof(BlockHeader, checksum), offset);
  return XXH3_64bits_withSeed(payload, header.stored_bytes, seed);
}

const char* block_header_fault(const BlockHeader& h) {
  if (h.type < BlockType::kEvents || h.type > BlockType::kGpuSteps) return "unknown block type";
  if (h.codec > Codec::kZstd) return "unknown compression";
  if (h.unused != 0) return "unused bytes that are not 0";
  if (h.raw_bytes > kMaxRawBytes) return "raw size above the limit of 2 MiB";
  if (h.stored_bytes > kMaxStoredBytes) return "stored size above the limit";
  if (h.codec == Codec::kStored && h.stored_bytes != h.raw_bytes)
    return "stored without compression, but stored and raw sizes differ";
  const std::uint64_t count = h.count;
  switch (h.type) {
    case BlockType::kEvents:
      if (count == 0 || count > kMaxEventsPerBlock) return "event count not in 1..65536";
      if (h.raw_bytes < count * kMinEventBytes || h.raw_bytes > count * kMaxEventBytes)
        return "event count that cannot fit the raw size";
      return nullptr;
    case BlockType::kDefinitions:
      // The shortest definition is the name of a thread: type, number, length.
      if (count == 0 || h.raw_bytes < count * 3)
        return "definition count that cannot fit the raw size";
      return nullptr;
    case BlockType::kEnd:
      if (h.codec != Codec::kStored || h.raw_bytes != sizeof(Totals) || h.count != 0)
        return "an end block of the wrong size";
      return nullptr;
    case BlockType::kGpuSteps:
      if (count == 0 || h.raw_bytes < count * 2) return "record count that cannot fit the raw size";
      return nullptr;
  }
  return nullptr;
}

}  // namespace redflag::rft
