// compact's flat cells: the last write of each word of memory that a kernel only writes to, in 64 bits.
//
// Where it is known, when a kernel is launched, that it does nothing but store to an allocation, as far as its
// threads could meet there at all (frontends/cuda/prove), two of them race if both store to one word and no
// barrier is between. So one exchange of a cell tells all: what comes back is the write before. A cell
// has a stamp of its launch instead of being cleared, the block, the thread, how many barriers of the block
// the thread had passed, and its phase: the accesses that all lanes of its warp had made together
// since (as in tag.h), behind which the lanes of a warp are in order.
//
// bits 58-63: stamp, from 1; 40-57: block; 30-39: thread; 17-29: barriers; 10-16: phase; 0-9: the store, as the
// kernel counts them. The upper half is of the thread alone. Limits: 8191 barriers, then the thread is not
// checked any further; blocks are told apart modulo 2^18.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/word.h"
#include "core/detect/gpu/portable.h"

namespace redflag::gpu::compact {

enum class FlatMeeting : std::uint8_t {
  kNone,      // another launch's, or its own
  kOrdered,   //
  kTogether,  // of a lane of the same instruction, or before it
  kRace,
};

struct Flat {
  static constexpr unsigned kSiteBits = 10, kPhaseBits = 7, kTimeBits = 13, kThreadBits = 10,
                            kStampBits = 6;
  static constexpr unsigned kPhaseAt = kSiteBits, kTimeAt = kPhaseAt + kPhaseBits,
                            kThreadAt = kTimeAt + kTimeBits, kBlockAt = kThreadAt + kThreadBits,
                            kStampAt = kBlockAt + kBlockBits;
  static_assert(kStampAt + kStampBits == 64);
  static constexpr std::uint32_t kLastStamp = (1U << kStampBits) - 1;
  static constexpr std::uint32_t kLastTime = (1U << kTimeBits) - 1;
  static constexpr std::uint32_t kLastPhase = (1U << kPhaseBits) - 1;
  static constexpr std::uint32_t kMostSites = 1U << kSiteBits;
  // Upper halves that differ in less than this are of one launch.
  static constexpr std::uint32_t kOneLaunch = 1U << (kStampAt - 32);

  std::uint64_t bits = 0;

  REDFLAG_HD static constexpr Flat of(std::uint32_t stamp, std::uint32_t block,
                                      std::uint32_t thread) {
    return {std::uint64_t{stamp} << kStampAt | std::uint64_t{block & kBlockMask} << kBlockAt |
            std::uint64_t{thread} << kThreadAt};
  }
  REDFLAG_HD constexpr Flat at(std::uint32_t time, std::uint32_t phase, std::uint32_t site) const {
    return {bits | std::uint64_t{time} << kTimeAt | std::uint64_t{phase} << kPhaseAt | site};
  }
  REDFLAG_HD constexpr std::uint32_t stamp() const { return field<kStampBits>(kStampAt); }
  REDFLAG_HD constexpr std::uint32_t block() const { return field<kBlockBits>(kBlockAt); }
  REDFLAG_HD constexpr std::uint32_t thread() const { return field<kThreadBits>(kThreadAt); }
  REDFLAG_HD constexpr std::uint32_t time() const { return field<kTimeBits>(kTimeAt); }
  REDFLAG_HD constexpr std::uint32_t phase() const { return field<kPhaseBits>(kPhaseAt); }
  REDFLAG_HD constexpr std::uint32_t site() const { return field<kSiteBits>(0); }

  // What this write, which was there, is to one by `mine`, made by the lanes of `active` together.
  REDFLAG_HD constexpr FlatMeeting meets(Flat mine, std::uint32_t active) const {
    if (stamp() != mine.stamp()) return FlatMeeting::kNone;
    if (block() != mine.block()) return FlatMeeting::kRace;
    if (thread() == mine.thread()) return FlatMeeting::kNone;
    if (time() != mine.time()) return FlatMeeting::kOrdered;
    if (thread() / 32 != mine.thread() / 32) return FlatMeeting::kRace;
    if ((active >> thread() % 32 & 1) != 0) return FlatMeeting::kTogether;
    const bool is_met = phase() != mine.phase() || phase() == kLastPhase;
    return is_met ? FlatMeeting::kOrdered : FlatMeeting::kRace;
  }

 private:
  template <unsigned Bits>
  REDFLAG_HD constexpr std::uint32_t field(unsigned at) const {
    return static_cast<std::uint32_t>(bits >> at & ((std::uint64_t{1} << Bits) - 1));
  }
};
static_assert(sizeof(Flat) == 8);

}  // namespace redflag::gpu::compact
