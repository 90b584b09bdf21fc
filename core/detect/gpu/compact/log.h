// compact's log: an access of a whole warp to global memory, in 64 bits.
//
// Kernels that synchronise by barriers alone do not look at lines while they run. Each warp writes down
// what all its lanes have accessed together, where the addresses have a pattern, and looks at up to 32
// records at once, each lane at one, when they are complete, at a barrier, or at its end. So all records
// of a warp's log are of one barrier interval, and by all lanes of the warp: neither the time nor the
// lanes need to be in them. A record is a sum of a constant of the instruction and an address, which
// is why it can be made by one addition.
//
// bit 63: writes; 48-62: site; 47, 1, 0: pattern; 2-46: the address of lane 0 (of a pattern of its upper
// half: where lane 0 would be). Limits: addresses below 2^47, in units of 4 bytes.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/line.h"

namespace redflag::gpu::compact {

enum class Pattern : std::uint8_t {
  kWords,    // lane l at address + 4 * l
  kPairs,    // + 8 * l
  kQuads,    // + 16 * l
  kLow,      // as kWords, lanes 0 to 15 alone
  kHigh,     // lanes 16 to 31 alone
  kOneWord,  // all lanes at one address: the first stands for all
  kOnePair,  //
  kOneQuad,  //
};

inline constexpr unsigned kLogAddressBits = 47;
inline constexpr unsigned kLogRecords = 32;  // of a warp
inline constexpr unsigned kLogBytes = kLogRecords * 8;

// One line of what a record tells.
struct LogPiece {
  std::uint64_t line = 0;  // address
  std::uint32_t words = 0;
  Map map;
};

struct Record {
  std::uint64_t bits = 0;

  // What the instruction adds to the address of lane 0.
  REDFLAG_HD static constexpr std::uint64_t constant(bool writes, std::uint32_t site,
                                                     Pattern pattern) {
    const auto code = static_cast<std::uint64_t>(pattern);
    return std::uint64_t{writes} << 63 | std::uint64_t{site & ((1U << kSiteBits) - 1)} << 48 |
           (code >> 2) << kLogAddressBits | (code & 3);
  }
  REDFLAG_HD static constexpr Record of(std::uint64_t address, bool writes, std::uint32_t site,
                                        Pattern pattern) {
    return {address + constant(writes, site, pattern)};
  }
  REDFLAG_HD constexpr bool writes() const { return bits >> 63 != 0; }
  REDFLAG_HD constexpr std::uint32_t site() const {
    return static_cast<std::uint32_t>(bits >> 48) & ((1U << kSiteBits) - 1);
  }
  REDFLAG_HD constexpr Pattern pattern() const {
    return static_cast<Pattern>((bits >> kLogAddressBits & 1) << 2 | (bits & 3));
  }
  REDFLAG_HD constexpr std::uint64_t address() const {
    return bits & ((std::uint64_t{1} << kLogAddressBits) - 4);
  }
  // Of a lane: 0, 1, 2 for 4, 8, 16 bytes.
  REDFLAG_HD constexpr std::uint32_t width() const {
    const Pattern p = pattern();
    if (p == Pattern::kPairs || p == Pattern::kOnePair) return 1;
    return p == Pattern::kQuads || p == Pattern::kOneQuad ? 2 : 0;
  }
  // Lanes that it tells of, in a warp that has `all`.
  REDFLAG_HD constexpr std::uint32_t lanes(std::uint32_t all) const {
    const Pattern p = pattern();
    if (p == Pattern::kLow) return all & 0xFFFF;
    if (p == Pattern::kHigh) return all & 0xFFFF0000;
    return p >= Pattern::kOneWord ? all & (~all + 1) : all;
  }
  // Bytes from the first one that is accessed to behind the last.
  REDFLAG_HD constexpr std::uint64_t begin(std::uint32_t all) const {
    const std::uint32_t its = lanes(all);
    return address() + (std::uint64_t(lowest(its)) << width()) * kUnit;
  }
  REDFLAG_HD constexpr std::uint64_t end(std::uint32_t all) const {
    const std::uint32_t its = lanes(all);
    return address() + ((std::uint64_t{highest(its)} + 1) << width()) * kUnit;
  }
  // What it does with the line at this address, which it meets.
  REDFLAG_HD constexpr LogPiece piece(std::uint64_t line, std::uint32_t all) const {
    const std::uint32_t shift = width() + 2;
    std::uint32_t its = lanes(all);
    if (line > address()) {
      const std::uint64_t before = (line - address()) >> shift;
      its = before >= 32 ? 0 : its >> before << before;
    }
    const std::uint64_t behind = (line + kLineBytes - address()) >> shift;
    if (behind < 32) its &= (1U << behind) - 1;
    LogPiece made;
    made.line = line;
    made.map.width = width();
    made.map.shift = static_cast<std::uint32_t>((address() - line) >> shift) & 31;
    made.words = made.map.words_of(its);
    return made;
  }

 private:
  REDFLAG_HD static constexpr std::uint32_t lowest(std::uint32_t lanes) {
    return static_cast<std::uint32_t>(__builtin_ctz(lanes));
  }
  REDFLAG_HD static constexpr std::uint32_t highest(std::uint32_t lanes) {
    return static_cast<std::uint32_t>(31 - __builtin_clz(lanes));
  }
};
static_assert(sizeof(Record) == 8);

}  // namespace redflag::gpu::compact
