// compact's lanes in kernels with signals: which have memory of their own, what they remember, and what they hand on.
//
// Most lanes of most kernels only fence, all of a warp together, and meet at barriers. They have no memory of
// their own: what they all know is in the warp's (Warp::common), and one lane keeps it for all. A lane that
// reads something, or fences apart from others, gets a Thread, which it gives back when the whole warp
// fences and has nothing left that only one of them knows. Barriers make what threads have learnt the
// block's. Device code.
#pragma once

#include "frontends/cuda/device/compact_search.h"

namespace redflag::device::compact {

REDFLAG_DEVICE bool is_apart(const Warp& w, std::uint32_t own_lane) {
  return (look(w.apart) >> own_lane & 1) != 0;
}
// The lane has learnt, or read, something.
REDFLAG_DEVICE void note_known(Warp& w, std::uint32_t own_lane, std::uint32_t list) {
  put(w.known_list, own_lane << kNodeBits | list);
  atomic_or(&w.knows, 1U << own_lane);
}
// As others of its warp are, with nothing of its own: field by field, so that nothing is in local memory.
REDFLAG_DEVICE void begin_thread(Thread& t, const Warp& w) {
  t.knowledge = w.common;
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) t.recent[i].published.key = 0;
  t.oldest = t.updates = 0;
  t.waiting = t.unheard = t.heard = 0;
}
// The lane's own memory, from now on.
REDFLAG_DEVICE Thread& own_thread(std::uint32_t warp, std::uint32_t own_lane) {
  Block& b = block();
  Warp& w = b.warps[warp];
  if (is_apart(w, own_lane)) return thread_of(b, warp * 32 + own_lane);
  Thread& t = new_thread(b, warp * 32 + own_lane);
  begin_thread(t, w);
  const std::uint32_t know = look(w.common.know);
  if ((know | look(w.common.pending)) != 0) note_known(w, own_lane, know);
  atomic_or(&w.apart, 1U << own_lane);
  return t;
}

// What it has to do with a location, as far as it remembers. Of what is learnt at the next fence it
// remembers by another key.
REDFLAG_DEVICE std::uint64_t recent_key(std::uint64_t key, bool waits) {
  return waits ? key | 1 : key;
}
REDFLAG_DEVICE Recent* known_recent(Thread& t, std::uint64_t key) {
  std::uint64_t keys[kRecent];  // all are waited for together
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) keys[i] = t.recent[i].published.key;
  std::uint32_t found = kRecent;
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) found = keys[i] == key ? i : found;
  return found == kRecent ? nullptr : &t.recent[found];
}
REDFLAG_DEVICE Recent& recent_at(Thread& t, std::uint64_t key) {
  Recent* const known = known_recent(t, key);
  if (known != nullptr) return *known;
  const std::uint32_t at = t.oldest;
  t.oldest = static_cast<std::uint8_t>((at + 1) % kRecent);
  Recent& recent = t.recent[at];
  recent.published.key = key;
  recent.published.own = kNoFence;
  recent.head = recent.element = recent.told = 0;
  return recent;
}
// What a lane's atomic at a location is remembered by.
REDFLAG_DEVICE std::uint32_t atomic_told(std::uint32_t site, std::uint32_t time) {
  return site << gpu::compact::kTimeBits | time;
}
// Whether the lane has told of this read-modify-write at this time, and has published what it can there:
// it spins. (No store ends what it has published.)
REDFLAG_DEVICE bool was_told(std::uint64_t key, std::uint32_t told, std::uint32_t warp) {
  Block& b = block();
  const Warp& w = b.warps[warp];
  if (!is_apart(w, lane())) return false;
  Thread& t = thread_of(b, warp * 32 + lane());
  const Recent* const recent = known_recent(t, key);
  if (recent == nullptr || recent->told != told) return false;
  const std::uint16_t fence = t.knowledge.block_fence;
  if (fence == 0 && look(b.is_fenced) == 0) return true;
  return recent->published.own == fence && recent->published.barrier == look(w.barrier);
}
REDFLAG_DEVICE void note_told(std::uint64_t key, std::uint32_t told, std::uint32_t warp) {
  Block& b = block();
  if (!is_apart(b.warps[warp], lane())) return;
  Recent* const recent = known_recent(thread_of(b, warp * 32 + lane()), key);
  if (recent != nullptr) recent->told = told;
}
// Its list is somebody else's too from now on.
REDFLAG_DEVICE void share_list(Thread& t) {
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) t.recent[i].element = 0;
  t.updates = 0;
}

// A list that one lane arrives at a barrier with becomes part of the block's.
REDFLAG_SLOW void hand_over(std::uint32_t list, std::uint64_t (&of)[2], const Warp& w) {
  if (list == 0) return;
  const std::uint32_t round = look(w.rounds) + 1;
  for (;;) {
    const std::uint64_t one = look(of[0]), other = look(of[1]);
    // What was known behind the barrier before is known still, and stays where it is.
    const bool has_begun = (one > other ? one : other) >> 32 == round;
    std::uint64_t& at = (one > other) == has_begun ? of[0] : of[1];
    const std::uint64_t old = (one > other) == has_begun ? one : other;
    const std::uint64_t newest = one > other ? one : other;
    const std::uint32_t next = linked(list, static_cast<std::uint32_t>(newest));
    const std::uint64_t seen = compare_swap(&at, old, std::uint64_t{round} << 32 | next);
    if (seen == old) return;
  }
}
// At a barrier of the whole block: what lanes have learnt, what they have read, and that they have fenced.
REDFLAG_DEVICE void hand_over(Warp& w, std::uint32_t warp, std::uint32_t active,
                              std::uint32_t all_lanes) {
  Block& b = block();
  const std::uint32_t own = 1U << lane();
  const bool leads = is_first(active);
  if (leads && look(w.device_fence) != 0 && look(b.is_fenced) == 0) put(b.is_fenced, 1U);
  if ((look(w.knows) & own) != 0) {
    Thread& t = thread_of(b, warp * 32 + lane());
    Knowledge& k = t.knowledge;
    (void)hear_last(t, w, warp * 32 + lane());
    share_list(t);
    hand_over(k.know, b.learnt, w);
    hand_over(k.pending, b.pending, w);
    k.know = k.pending = 0;
    atomic_and(&w.knows, ~own);
  }
  if (!leads || (look(w.common.know) | look(w.common.pending)) == 0) return;
  hand_over(look(w.common.know), b.learnt, w);
  hand_over(look(w.common.pending), b.pending, w);
  // Lanes that come later know it until then.
  if (active == all_lanes) w.common.know = w.common.pending = 0;
}

}  // namespace redflag::device::compact
