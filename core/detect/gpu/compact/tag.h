// compact's tags: the last read, and the last write, of a word of shared memory, in 32 bits.
//
// Of kernels that synchronise by barriers alone. A thread keeps its tag in a register: the barrier
// interval (4 bits, at the top), the thread (10), and the warp's phase (7), the accesses that all lanes
// of its warp have made together in this interval, which no lane can disagree about. An access adds
// the last bits of its site. Another thread's tag of the same interval is one subtraction and one
// comparison away (kOthers, kOthersSpan); only then is more asked. Intervals go from 1 to 15, since 0 is
// what nobody has accessed; the block clears all tags before they begin again.
//
// Of several readers the last is kept. A read that took the place of another warp's, at the same site and in the same
// interval, has the mark: then a write of its own warp races with that one (stands_for_others).
//
// Two lanes of one warp are in order where one access of all lanes came between, or they access
// together. An access of all lanes is of the phase that begins with it: a lane that goes its own way then is not ordered
// with what the others did in it. Phases stay at the last one: after it lanes of one warp count as ordered.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::compact {

struct Tag {
  static constexpr unsigned kSiteBits = 10, kPhaseBits = 7, kThreadBits = 10, kIntervalBits = 4;
  static constexpr unsigned kPhaseAt = kSiteBits;
  static constexpr unsigned kMarkAt = kPhaseAt + kPhaseBits;  // an atomic; of a read: several warps
  static constexpr unsigned kThreadAt = kMarkAt + 1;
  static constexpr unsigned kIntervalAt = kThreadAt + kThreadBits;
  static_assert(kIntervalAt + kIntervalBits == 32);
  static constexpr std::uint32_t kPhase = 1U << kPhaseAt;
  static constexpr std::uint32_t kLastPhase = (1U << kPhaseBits) - 1;
  static constexpr std::uint32_t kMark = 1U << kMarkAt;
  static constexpr std::uint32_t kInterval = 1U << kIntervalAt;
  // (earlier ^ mine) - kOthers < kOthersSpan, unsigned: another thread, the same interval.
  static constexpr std::uint32_t kOthers = 1U << kThreadAt;
  static constexpr std::uint32_t kOthersSpan = kInterval - kOthers;

  std::uint32_t bits = 0;

  REDFLAG_HD static constexpr Tag of(std::uint32_t interval, std::uint32_t thread,
                                     std::uint32_t phase) {
    return {interval << kIntervalAt | thread << kThreadAt | phase << kPhaseAt};
  }
  REDFLAG_HD constexpr Tag at(std::uint32_t site, bool is_atomic) const {
    return {(bits & ~(kPhase - 1)) | (site & (kPhase - 1)) | (is_atomic ? kMark : 0)};
  }
  // Behind a barrier of the block.
  REDFLAG_HD constexpr Tag next_interval() const {
    const std::uint32_t next = (bits & ~(kOthers - 1)) + kInterval;
    return {is_last_interval() ? next + kInterval : next};
  }
  REDFLAG_HD constexpr bool is_last_interval() const {
    return interval() == (1U << kIntervalBits) - 1;
  }
  REDFLAG_HD constexpr Tag last_phase() const { return {bits | kLastPhase << kPhaseAt}; }

  REDFLAG_HD constexpr std::uint32_t site() const { return bits & (kPhase - 1); }
  REDFLAG_HD constexpr std::uint32_t phase() const { return bits >> kPhaseAt & kLastPhase; }
  REDFLAG_HD constexpr bool mark() const { return (bits & kMark) != 0; }
  REDFLAG_HD constexpr std::uint32_t thread() const {
    return bits >> kThreadAt & ((1U << kThreadBits) - 1);
  }
  REDFLAG_HD constexpr std::uint32_t interval() const { return bits >> kIntervalAt; }

  // Whether it is of another thread and of this interval.
  REDFLAG_HD constexpr bool is_others(Tag mine) const {
    return bits != 0 && (bits ^ mine.bits) - kOthers < kOthersSpan;
  }
  // Of a read: whether another warp than this one has read too, in this interval.
  REDFLAG_HD constexpr bool stands_for_others(Tag mine) const {
    return mark() && interval() == mine.interval() && thread() / 32 == mine.thread() / 32;
  }
  // A read by `mine` in place of this one.
  REDFLAG_HD constexpr Tag joined(Tag mine) const {
    const bool is_here = bits != 0 && interval() == mine.interval() && site() == mine.site();
    const bool is_foreign = thread() / 32 != mine.thread() / 32;
    return {mine.bits | (is_here && (is_foreign || mark()) ? kMark : 0)};
  }
  // Whether another thread's access of this interval is ordered with this one, by lanes `active`.
  REDFLAG_HD constexpr bool is_ordered(Tag mine, std::uint32_t active) const {
    if (thread() / 32 != mine.thread() / 32) return false;
    if ((active >> thread() % 32 & 1) != 0) return true;
    return phase() != mine.phase() || phase() == kLastPhase;
  }
};
static_assert(sizeof(Tag) == 4);

}  // namespace redflag::gpu::compact
