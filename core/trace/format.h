// The .rft file as bytes: header, blocks, control words. docs/how/trace-format.md is the description;
// this file is its constants, and nothing here reads or writes a file.
//
// All integers are little-endian. A file is a 16-byte header and then blocks; each block is a
// 32-byte block header and a payload. An event in an event block starts with a 16-bit control word
// that says the lengths of everything behind it, so that a decoder never tests a byte to find out
// where the next field starts: this is what makes decoding fast, and zstd takes out what the fixed
// widths waste.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/model/event.h"

namespace redflag::rft {

static_assert(std::endian::native == std::endian::little, "the codec copies little-endian fields");

// As PNG's: the first byte is no text, and the line ends show a transfer in text mode.
inline constexpr std::string_view kMagic{"\x89RFT\r\n\x1a\n", 8};
inline constexpr int kCompressionLevel = 1;      // of zstd: blocks are made while a program waits
inline constexpr std::uint16_t kVersion = 2;     // of traces of threads, as they are written
inline constexpr std::uint16_t kGpuVersion = 1;  // and of GPU kernels
// How many rows of kEventKinds each version has; all are read.
inline constexpr std::array<int, kVersion + 1> kKindsOfVersion{0, 17, 18};
static_assert(kKindsOfVersion[kVersion] == kEventKindCount, "a new kind needs a new version");
// FileHeader::flags: the blocks hold steps of GPU kernels (gpu_record.h), not events.
inline constexpr std::uint16_t kGpuFlag = 1;
// With kGpuFlag: minor version 1 of GPU traces, whose launches may name synchronising operations.
inline constexpr std::uint16_t kGpuSyncFlag = 2;
// With both: minor version 2, whose steps may say how many instructions led to them.
inline constexpr std::uint16_t kGpuCountsFlag = 4;
inline constexpr std::uint16_t kGpuFlags = kGpuFlag | kGpuSyncFlag | kGpuCountsFlag;
constexpr bool is_gpu(std::uint16_t flags) {
  return flags == kGpuFlag || flags == (kGpuFlag | kGpuSyncFlag) || flags == kGpuFlags;
}

struct FileHeader {
  char magic[8];
  std::uint16_t version;
  std::uint16_t flags;  // 0, or what is_gpu() accepts
  std::uint32_t check;  // low half of the XXH3-64 of the 12 bytes before
};
static_assert(sizeof(FileHeader) == 16);

enum class BlockType : std::uint8_t { kEvents = 1, kDefinitions = 2, kEnd = 3, kGpuSteps = 4 };
enum class Codec : std::uint8_t { kStored = 0, kZstd = 1 };

struct BlockHeader {
  BlockType type = BlockType::kEnd;
  Codec codec = Codec::kStored;
  std::uint16_t unused = 0;
  std::uint32_t stored_bytes = 0;  // of the payload in the file
  std::uint32_t raw_bytes = 0;     // of the payload decompressed
  std::uint32_t count = 0;         // events or definitions in it
  std::uint64_t first = 0;         // events (or definitions) in the blocks before
  std::uint64_t checksum = 0;      // see block_checksum
};
static_assert(sizeof(BlockHeader) == 32);

// Payload of the end block.
struct Totals {
  std::uint64_t events = 0;
  std::uint64_t definitions = 0;
  std::uint64_t blocks = 0;  // before the end block
};
static_assert(sizeof(Totals) == 24);

inline constexpr std::uint32_t kMaxEventsPerBlock = 1u << 16;
inline constexpr std::uint32_t kMaxRawBytes = 1u << 21;
inline constexpr std::uint32_t kMaxStoredBytes = kMaxRawBytes + (1u << 16);

// Control word of an event.
//   bits 0-4   kind
//   bit  5     the thread differs from the event before: slot number follows
//   bit  6     attributes byte follows (order, scope, volatile)
//   bits 7-9   length code of the object delta
//   bits 10-11 length code of the source delta
//   bits 12-14 size code: the size is 1 << code, 7: four bytes of size follow
//   bit  15    0
// and behind it, in this order: slot (2) and for a new slot the thread (4); attributes (1); object
// delta (0-8); source delta (0-4); size (0 or 4).
inline constexpr unsigned kKindMask = 31;
inline constexpr unsigned kThreadChanged = 1u << 5;
inline constexpr unsigned kHasAttributes = 1u << 6;
inline constexpr unsigned kObjectShift = 7;
inline constexpr unsigned kSourceShift = 10;
inline constexpr unsigned kSizeShift = 12;
inline constexpr unsigned kExplicitSize = 7;
inline constexpr unsigned kControlUnused = 1u << 15;

inline constexpr std::array<std::uint8_t, 8> kObjectBytes{0, 1, 2, 3, 4, 5, 6, 8};
inline constexpr std::array<std::uint8_t, 4> kSourceBytes{0, 1, 2, 4};

inline constexpr std::size_t kMinEventBytes = 2;
inline constexpr std::size_t kMaxEventBytes = 2 + 2 + 4 + 1 + 8 + 4 + 4;
inline constexpr std::size_t kPadding = 32;  // readable bytes behind a raw event block
static_assert(kMaxEventBytes <= kPadding);
static_assert(kMaxEventsPerBlock * kMaxEventBytes <= kMaxRawBytes);

// Attributes byte: bits 0-2 order, 3-5 scope, 6 volatile, 7 zero.
inline constexpr unsigned kScopeShift = 3;
inline constexpr unsigned kVolatileBit = 1u << 6;

// What a thread did last in this block, the base of the deltas. One per thread of the block, in the
// order of first appearance: the slot. `last` is per class of operand, since lock numbers
// say nothing about the next address; the class without operand stays 0.
struct Slot {
  std::array<std::uint64_t, 5> last{};
  std::uint32_t source = 0;
  std::uint32_t thread = 0;
};

inline constexpr unsigned kNoOperandClass = 3;
constexpr unsigned operand_class(EventKind kind) {
  switch (info(kind).operand) {
    case Operand::kMemory:
      return 0;
    case Operand::kLock:
    case Operand::kBarrier:
      return 1;
    case Operand::kThread:
      return 2;
    case Operand::kCount:
      return 4;
    case Operand::kNone:
      break;
  }
  return kNoOperandClass;
}

// Signed deltas as unsigned numbers, small for small distances either way; modulo 2^64 or 2^32.
constexpr std::uint64_t zigzag(std::uint64_t delta) {
  return (delta << 1) ^ (0 - (delta >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t coded) {
  return (coded >> 1) ^ (0 - (coded & 1));
}
constexpr std::uint32_t zigzag32(std::uint32_t delta) {
  return (delta << 1) ^ (0 - (delta >> 31));
}
constexpr std::uint32_t unzigzag32(std::uint32_t coded) {
  return (coded >> 1) ^ (0 - (coded & 1));
}

std::uint32_t file_header_check(const FileHeader& header);

// XXH3-64 of the payload as stored, seeded with the XXH3-64 of the header's first 24 bytes, seeded
// with the block's offset in the file: a block changed or moved does not match.
std::uint64_t block_checksum(const BlockHeader& header, const void* payload, std::uint64_t offset);

// What is wrong with a block header by itself, as a phrase; nullptr: nothing.
const char* block_header_fault(const BlockHeader& header);

}  // namespace redflag::rft
