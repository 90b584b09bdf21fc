// compact on barriers with a number of threads: who arrived in a round is known to who passes it.
//
// Such a barrier is a signal (compact_signals.h). Rounds are counted by arrivals, warp by warp, as the
// hardware counts them; each of the last kRounds rounds has a location of its own, and the last one
// to arrive in a round empties the one that comes kRounds / 2 later. Device code.
#pragma once

#include "frontends/cuda/device/compact_signals.h"

namespace redflag::device::compact {

inline constexpr std::uint32_t kRounds = 16;

REDFLAG_DEVICE std::uint64_t key_of_round(std::uint32_t number, std::uint32_t round) {
  return std::uint64_t{1} << 63 | block().block << 20 | (round % kRounds) << 8 | number;
}

// By the lanes of `active` together, of which each remembers the round. `threads`: that the barrier
// needs; `warp_counts`: a warp arrives as a whole, however many lanes it has.
REDFLAG_DEVICE void arrive_at(std::uint32_t number, std::uint32_t threads, bool warp_counts,
                              std::uint32_t active, std::uint32_t now) {
  Block& b = block();
  const std::uint32_t needed = (threads + 31) / 32 * 32;
  const std::uint32_t mine = warp_counts ? 32 : count(active);
  std::uint32_t before = 0;
  if (is_first(active)) before = atomic_add(&b.arrivals[number % kBarriers], mine);
  before = shuffle(active, before, first(active));
  const std::uint32_t round = before / needed;
  if (is_first(active) && (before + mine) % needed == 0) {
    end_sequence(key_of_round(number, round + kRounds / 2));
  }
  const std::uint32_t warp = warp_in_block();
  Thread& t = own_thread(warp, lane());
  share_list(t);
  t.round = static_cast<std::uint16_t>(round % kRounds);
  // Lanes that know the same are one: otherwise nobody could search what a few rounds leave.
  const std::uint32_t alike =
      match_any(active, std::uint64_t{t.knowledge.know} << 32 | t.knowledge.device_know) &
      match_any(active, std::uint64_t{t.knowledge.device_fence} << 32 | t.knowledge.block_fence);
  if (!is_first(alike)) return;
  const std::uint64_t key = key_of_round(number, round);
  publish(key, glance(key), {true, true, true, alike}, warp, lane(), now);
}
REDFLAG_DEVICE void pass(std::uint32_t number, std::uint32_t active) {
  const std::uint32_t warp = warp_in_block();
  Thread& t = own_thread(warp, lane());
  const Found at = find(key_of_round(number, t.round), false);
  std::uint32_t know = t.knowledge.know;
  const std::uint32_t alike = match_any(active, std::uint64_t{know} << 32 | at.head);
  if (is_first(alike) && at.head != 0) {
    know = new_element(kLearnt | kBlockScope, at.head, know, at.number, at.position);
  }
  know = shuffle(active, know, first(alike));
  t.knowledge.know = know;
  if (know != 0) note_known(block().warps[warp], lane(), know);
}

}  // namespace redflag::device::compact
