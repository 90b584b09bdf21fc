// compact across blocks: what fences, atomics and barrier objects publish, and who has learnt it.
//
// Clocks are not kept; they are looked for when needed (compact_search.h). A release appends a node
// (compact_publish.h). An acquire puts the location's last node onto the thread's list of what it knows; what the last
// releases there say is looked at when somebody asks (compact_kept.h). Barriers make what threads have learnt the
// block's (compact_threads.h). One who spins looks at the location,
// and does no more while that is as it was. Device code.
#pragma once

#include "frontends/cuda/device/compact_publish.h"

namespace redflag::device::compact {

// Whether there is nothing at a location that the lane does not know.
REDFLAG_DEVICE bool knows_head(std::uint64_t of_key, const Pair& glanced, bool block_scope,
                               bool waits, std::uint32_t warp) {
  Block& b = block();
  const LocationKey key = LocationKey::of(of_key);
  const bool is_empty = (glanced.first | glanced.second) == 0;
  if (!is_empty && (!Count{glanced.second}.is_of(key) || !Head{glanced.first}.is_of(key))) {
    return false;
  }
  const std::uint32_t head = is_empty ? 0 : Head{glanced.first}.in(b.launch);
  if (head == 0) {
    stock_up();
    return true;
  }
  if (!is_apart(b.warps[warp], lane())) return false;
  const Recent* const recent =
      known_recent(thread_of(b, warp * 32 + lane()), recent_key(of_key, waits));
  return recent != nullptr && recent->head == (head | (block_scope ? kOnlyHere : 0U));
}

// One lane learns what is published at a location. `waits`: at its next fence.
REDFLAG_SLOW void learn_now(std::uint64_t key, std::uint64_t head_was, std::uint64_t count,
                            bool block_scope, bool waits, std::uint32_t warp,
                            std::uint32_t own_lane) {
  constexpr std::uint8_t kMostUpdates = 8;  // one who spins where many publish needs no answers yet
  Block& b = block();
  const Found at = find(key, {head_was, count}, false);
  const std::uint32_t head = at.head;
  if (head == 0) return stock_up();
  Warp& w = b.warps[warp];
  const bool was_apart = is_apart(w, own_lane);
  Thread& t = was_apart ? thread_of(b, warp * 32 + own_lane) : new_thread(b, warp * 32 + own_lane);
  const std::uint32_t kind = kLearnt | (block_scope ? kBlockScope : 0U);
  const std::uint32_t seen = head | (block_scope ? kOnlyHere : 0U);
  std::uint32_t known = 0;
  if (!was_apart) {
    begin_thread(t, w);
    const std::uint32_t know = look(w.common.know), pending = look(w.common.pending);
    const std::uint32_t list =
        new_element(kind, head, waits ? pending : know, at.number, at.position);
    (waits ? t.knowledge.pending : t.knowledge.know) = list;
    t.recent[0].published.key = recent_key(key, waits);
    t.recent[0].published.own = kNoFence;
    t.recent[0].head = seen;
    t.recent[0].element = seen == head ? list : 0;
    t.recent[0].position = at.position;
    t.recent[0].told = 0;
    t.oldest = 1;
    note_known(w, own_lane, waits ? know : list);
    atomic_or(&w.apart, 1U << own_lane);
  } else {
    Recent& recent = recent_at(t, recent_key(key, waits));
    known = recent.head & ~kOnlyHere;
    if (recent.head == head || recent.head == seen) return;
    recent.head = seen;
    if (recent.element != 0 && seen == head && is_same_sequence(recent.position, at.position)) {
      // What it learnt there before is within what it learns now.
      Node& element = node_at(b, recent.element);
      element.where.position = recent.position = at.position;
      element.links.learnt = head;
      if (t.updates == kMostUpdates) return;
      ++t.updates;
    } else {
      std::uint32_t& list = waits ? t.knowledge.pending : t.knowledge.know;
      const std::uint32_t fresh = new_element(kind, head, list, at.number, at.position);
      recent.element = fresh != list && seen == head ? fresh : 0;
      recent.position = at.position;
      list = fresh;
      note_known(w, own_lane, waits ? t.knowledge.know : fresh);
    }
  }
  if (waits) {
    t.waiting = block_scope ? 0 : head;
  } else if (!block_scope) {
    // Of what it has not looked at since, at one location, nothing is left out.
    if (t.unheard == 0 || t.unheard != known) t.heard = known;
    t.unheard = head;
  }
}

REDFLAG_DEVICE void learn_at(std::uint64_t key, const Pair& glanced, bool block_scope, bool waits) {
  const std::uint32_t warp = warp_in_block();
  if (knows_head(key, glanced, block_scope, waits, warp)) return;
  learn_now(key, glanced.first, glanced.second, block_scope, waits, warp, lane());
}

// A fence: what was read so far is learnt, and what is known now can be published.
REDFLAG_SLOW void settle(Knowledge& k, const Warp& w, bool block_scope, std::uint32_t now) {
  Block& b = block();
  if (k.pending != 0) {
    k.know = linked(k.pending, k.know);
    k.pending = 0;
  }
  const std::uint32_t of_block = behind_barrier(b.pending, w);
  if (of_block != k.last_pending) {
    k.know = linked(of_block, k.know);
    k.last_pending = of_block;
  }
  k.block_fence = static_cast<std::uint16_t>(now);
  k.here_know = k.know;
  k.here_block_know = known_to_block(b, w);
  if (block_scope) return;
  k.device_fence = static_cast<std::uint16_t>(now);
  k.device_know = k.know;
  k.device_block_know = k.here_block_know;
}
REDFLAG_DEVICE void fence_by_lanes(bool block_scope, std::uint32_t warp, std::uint32_t active,
                                   std::uint32_t all_lanes) {
  Block& b = block();
  Warp& w = b.warps[warp];
  const std::uint32_t now = tick(w, active);
  const bool leads = is_first(active);
  if (!block_scope && leads) put(w.device_fence, now);
  const bool alike = look(w.knows) == 0 && (!block_scope || look(w.apart) == 0);
  if (active == all_lanes && alike) {
    sync_warp(active);
    if (leads) {
      settle(w.common, w, block_scope, now);
      put(w.apart, 0U);
    }
    return sync_warp(active);
  }
  Thread& t = own_thread(warp, lane());
  share_list(t);
  settle(t.knowledge, w, block_scope, now);
  if (t.waiting != 0) {
    t.unheard = t.waiting;
    t.waiting = t.heard = 0;
  }
  if (t.knowledge.know != 0) note_known(w, lane(), t.knowledge.know);
}

}  // namespace redflag::device::compact
