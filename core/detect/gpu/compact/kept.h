// compact's short memory: what somebody of a block knows of what another block did, in 64 bits.
//
// Whoever learns of a release keeps two of these in the shared memory of its block: all that the other block did before
// some time, and what the releasing thread did before its own. Most conflicts ask about just that, and are
// answered without a load from global memory. An entry says who learnt it and how many barriers of the
// block that one had passed: behind the next one all of the block know it. Rounds are 12 bits, so that an entry
// of long ago may look like one of the future, and says nothing then; it never says too much.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/word.h"
#include "core/detect/gpu/portable.h"

namespace redflag::gpu::compact {

inline constexpr unsigned kThreadBits = kWarpBits + kLaneBits, kRoundBits = 12;
static_assert(kBlockBits + kTimeBits + 2 * kThreadBits + kRoundBits == 64);

struct Kept {
  std::uint64_t bits = 0;  // 0: nothing

  // What `thread` of `block` did before `time` is known to `learner`, who has passed `round` barriers.
  // Of what is known of a whole block the thread is 0.
  REDFLAG_HD static constexpr Kept of(std::uint32_t block, std::uint32_t thread, std::uint32_t time,
                                      std::uint32_t learner, std::uint32_t round) {
    return {std::uint64_t{block} << 46 | std::uint64_t{time < kLastTime ? time : kLastTime} << 32 |
            std::uint64_t{learner} << 22 | std::uint64_t{round & kRoundMask} << kThreadBits |
            thread};
  }
  // What all know who have passed `round` barriers.
  REDFLAG_HD static constexpr Kept of_all(std::uint32_t block, std::uint32_t time,
                                          std::uint32_t round) {
    return of(block, 0, time, 0, round - 1);
  }

  REDFLAG_HD constexpr std::uint32_t block() const {
    return static_cast<std::uint32_t>(bits >> 46);
  }
  REDFLAG_HD constexpr std::uint32_t time() const {
    return static_cast<std::uint32_t>(bits >> 32) & kLastTime;
  }
  REDFLAG_HD constexpr bool is_before(std::uint32_t block, std::uint32_t time) const {
    return this->block() == block && time < this->time();
  }
  REDFLAG_HD constexpr bool is_thread(std::uint32_t thread) const {
    return (bits & kThreadMask) == thread;
  }
  // Whether lanes of a warp that has passed `round` barriers know it.
  REDFLAG_HD constexpr bool is_known_to(std::uint32_t warp, std::uint32_t lanes,
                                        std::uint32_t round) const {
    const std::uint32_t since =
        (round - static_cast<std::uint32_t>(bits >> kThreadBits)) & kRoundMask;
    if (since != 0 && since <= kRoundMask / 2) return true;
    const auto learner = static_cast<std::uint32_t>(bits >> 22) & kThreadMask;
    return since == 0 && learner >> kLaneBits == warp && (lanes >> learner % 32 & 1) != 0;
  }

 private:
  static constexpr std::uint32_t kThreadMask = (1U << kThreadBits) - 1;
  static constexpr std::uint32_t kRoundMask = (1U << kRoundBits) - 1;
};
static_assert(sizeof(Kept) == 8);

}  // namespace redflag::gpu::compact
