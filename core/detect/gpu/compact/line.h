// compact's lines: 128 bytes of memory whose accesses have a pattern are told in 32.
//
// Most lines of most kernels are accessed by one warp, lane by lane: word w by lane (w >> width) -
// shift. Such a line has an owner (launch, block, warp, pattern, time of its last read and of its last
// write) and the words that it read and wrote; no two of its accesses can race. What other warps
// read of it is a mask of words; whoever reads what nobody writes changes nothing after the first time.
// Only when patterns meet that do not fit, one of them writing, does a line get a chunk of cells
// (word.h), and every word is told by itself from then on. So memory moved for metadata is a
// quarter of what the program moves, not four times as much.
//
// An owner of another launch is no owner: launches are numbered modulo 2^6, and the host clears when
// they begin again. 32 bytes are one sector of the GPU's cache.
//
// Limits: of readers besides the owner only the words are known, and whether one was of another
// block. A write by a third warp to such a word is compared with the owner alone.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/word.h"

namespace redflag::gpu::compact {

inline constexpr unsigned kLineBytes = 128;
inline constexpr unsigned kLineWords = kLineBytes / kUnit;
inline constexpr unsigned kLaunchBits = 6, kMapBits = 7;
static_assert(kLaunchBits + kBlockBits + kWarpBits + kMapBits + 2 * kTimeBits == 64);
inline constexpr std::uint32_t kLaunchMask = (1U << kLaunchBits) - 1;

// Which lane has which word.
struct Map {
  std::uint32_t width = 0;  // of an access: 0, 1, 2 for 4, 8, 16 bytes
  std::uint32_t shift = 0;

  REDFLAG_HD constexpr std::uint32_t bits() const { return width << 5 | shift; }
  REDFLAG_HD constexpr std::uint32_t lane_of(std::uint32_t word) const {
    return ((word >> width) - shift) & 31;
  }
  // Words of lanes that access the line, each lane as wide as `width` says.
  REDFLAG_HD constexpr std::uint32_t words_of(std::uint32_t lanes) const {
    std::uint32_t x = shift == 0 ? lanes : lanes << shift | lanes >> (32 - shift);
    if (width == 0) return x;
    if (width == 1) {
      x &= 0xFFFF;
      x = (x | x << 8) & 0x00FF00FF;
      x = (x | x << 4) & 0x0F0F0F0F;
      x = (x | x << 2) & 0x33333333;
      x = (x | x << 1) & 0x55555555;
      return x * 3;
    }
    x &= 0xFF;
    x = (x | x << 12) & 0x000F000F;
    x = (x | x << 6) & 0x03030303;
    x = (x | x << 3) & 0x11111111;
    return x * 15;
  }
};
// In place of a map: cells tell, or somebody is changing the line.
inline constexpr std::uint32_t kCells = 3U << 5;
inline constexpr std::uint32_t kBusy = 3U << 5 | 1;

struct Owner {
  std::uint64_t bits = 0;

  REDFLAG_HD static constexpr Owner of(std::uint32_t launch, std::uint32_t block,
                                       std::uint32_t warp, std::uint32_t map) {
    return {std::uint64_t{launch & kLaunchMask} << 58 | std::uint64_t{block & kBlockMask} << 40 |
            std::uint64_t{warp} << 35 | std::uint64_t{map} << 28};
  }
  REDFLAG_HD constexpr std::uint64_t key() const { return bits >> 28; }  // all but the times
  REDFLAG_HD constexpr std::uint32_t launch() const {
    return static_cast<std::uint32_t>(bits >> 58);
  }
  REDFLAG_HD constexpr std::uint32_t block() const {
    return static_cast<std::uint32_t>(bits >> 40) & kBlockMask;
  }
  REDFLAG_HD constexpr std::uint32_t warp() const {
    return static_cast<std::uint32_t>(bits >> 35) & 31;
  }
  REDFLAG_HD constexpr std::uint32_t map_bits() const {
    return static_cast<std::uint32_t>(bits >> 28) & 127;
  }
  REDFLAG_HD constexpr Map map() const { return {map_bits() >> 5, map_bits() & 31}; }
  REDFLAG_HD constexpr std::uint32_t read_time() const {
    return static_cast<std::uint32_t>(bits >> 14) & kLastTime;
  }
  REDFLAG_HD constexpr std::uint32_t write_time() const {
    return static_cast<std::uint32_t>(bits) & kLastTime;
  }
  REDFLAG_HD constexpr Owner with_time(bool writes, std::uint32_t time) const {
    const unsigned at = writes ? 0 : 14;
    return {(bits & ~(std::uint64_t{kLastTime} << at)) | std::uint64_t{time} << at};
  }
  REDFLAG_HD constexpr Epoch epoch(std::uint32_t word, bool wrote) const {
    return {block(), warp(), map().lane_of(word), wrote ? write_time() : read_time()};
  }
};

// Who else has read of it.
struct Others {
  std::uint64_t bits = 0;

  REDFLAG_HD static constexpr Others of(std::uint32_t launch, bool other_block, std::uint32_t time,
                                        std::uint32_t words) {
    return {std::uint64_t{launch & kLaunchMask} << 58 | std::uint64_t{other_block} << 57 |
            std::uint64_t{time} << 32 | words};
  }
  REDFLAG_HD constexpr std::uint32_t launch() const {
    return static_cast<std::uint32_t>(bits >> 58);
  }
  REDFLAG_HD constexpr bool other_block() const { return (bits >> 57 & 1) != 0; }
  REDFLAG_HD constexpr std::uint32_t time() const {  // the latest, of the owner's block
    return static_cast<std::uint32_t>(bits >> 32) & kLastTime;
  }
  REDFLAG_HD constexpr std::uint32_t words() const { return static_cast<std::uint32_t>(bits); }
};

struct Line {
  Owner owner;
  std::uint32_t reads = 0;   // words; of a line with cells: the chunk's number
  std::uint32_t writes = 0;  // words
  Others others;
  std::uint16_t read_site = 0;  // the last ones
  std::uint16_t write_site = 0;
  std::uint16_t others_site = 0;
  std::uint16_t is_mixed = 0;  // the owner's warp has read with other maps too
};
static_assert(sizeof(Line) == 32);

}  // namespace redflag::gpu::compact
