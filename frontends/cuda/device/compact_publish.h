// compact's releases: nodes that are appended to locations.
//
// A node says who published, up to which time of its own, of its warp's and of its block's, and what it had learnt.
// Appending adds to the location's counter and takes the head's place: both are waited for together, and
// nobody waits for another. The node's own place among others is known only then; who comes by
// meanwhile sees kNotLinked.
//
// Scopes: a release of block scope is for its own block. A thread's fence also counts for those whom
// it meets at a barrier (docs/how/semantics.md, "fence of another thread"): then the node carries the
// times of all warps' fences.
//
// Limits: a location's release sequence is not ended by plain stores. Device code.
#pragma once

#include "frontends/cuda/device/compact_threads.h"

namespace redflag::device::compact {

struct Publishes {
  bool is_release = false;   // all that came before; else what came before the last fence
  bool block_scope = false;  // of the fence, or of the write
  bool continues = false;    // a read-modify-write: what was published there before stays
  std::uint32_t lanes = 0;   // who publish together, and know the same; 0: one alone
};

// The first position of the sequence behind the one that was there.
REDFLAG_DEVICE std::uint32_t begin_sequence(Location& at, LocationKey key, Count seen) {
  const std::uint32_t launch = block().launch;
  for (;;) {
    const std::uint32_t next = next_sequence(seen.in(launch));
    const std::uint64_t now =
        compare_swap(&at.count.bits, seen.bits, Count::of(launch, next, key).bits);
    if (now == seen.bits) return next;
    seen.bits = now;
  }
}
// The next position of the sequence that is there.
REDFLAG_DEVICE std::uint32_t go_on(Location& at, LocationKey key, Count seen) {
  const std::uint32_t launch = block().launch;
  // Of another launch: whoever comes first begins with 1, and the others add to that.
  while (!seen.is_in(launch)) {
    const std::uint64_t now =
        compare_swap(&at.count.bits, seen.bits, Count::of(launch, 1, key).bits);
    if (now == seen.bits) return 1;
    seen.bits = now;
  }
  return Count{atomic_add(&at.count.bits, std::uint64_t{1})}.in(launch) + 1;
}
// A store ends what was published there before.
REDFLAG_DEVICE void end_sequence(std::uint64_t of_key) {
  const std::uint32_t launch = block().launch;
  const LocationKey key = LocationKey::of(of_key);
  const Found at = find(of_key, false);
  if (at.head == 0) return;
  begin_sequence(*at.location, key, at.count);
  // Unless somebody else has published since.
  compare_swap(&at.location->head.bits, Head::of(launch, at.head, key).bits,
               Head::of(launch, 0, key).bits);
}
struct Appended {
  std::uint32_t before = 0;  // the head in whose place it is
  std::uint32_t position = 0;
};
// The location's next node, of which all but the place is stored. `continues`: those before it stay.
// `is_ordered`: whoever acquires it, by an order of the program's own, sees what was stored.
REDFLAG_DEVICE Appended append(const Found& at, LocationKey key, std::uint32_t index,
                               NodeWhere where, std::uint32_t time, bool continues,
                               bool is_ordered) {
  Block& b = block();
  Node& node = node_at(b, index);
  Location& location = *at.location;
  const std::uint32_t previous = atomic_exchange(&b.last_release, index);
  where.location = at.number;
  where.position = continues ? at.position + 1 : next_sequence(at.position);
  const std::uint32_t guessed = where.position;
  store_part(node.where, where);
  store_part(node.links, {continues ? kNotLinked : 0, 0, previous, 0});
  if (!is_ordered) fence<Reach::kDevice>();
  auto* const outboxes = reinterpret_cast<Outbox*>(b.outboxes);
  atomic_max(&outboxes[b.block % kOutboxes].bits, Outbox::of(b.launch, time, index).bits);
  const Head head{atomic_exchange(&location.head.bits, Head::of(b.launch, index, key).bits)};
  where.position =
      continues ? go_on(location, key, at.count) : begin_sequence(location, key, at.count);
  const std::uint32_t before = continues ? head.in(b.launch) : 0;
  if (where.position != guessed) store_part(node.where, where);
  if (continues) store_part(node.links, {before, 0, previous, 0});
  return {before, where.position};
}

// One lane publishes at a location, for itself or for lanes that have no memory of their own. Returns
// whether what was there before is ended, or need not be. `glanced`: at the location.
REDFLAG_SLOW bool publish_now(std::uint64_t key, std::uint64_t head, std::uint64_t count,
                              std::uint32_t flags, std::uint32_t of_lanes, std::uint32_t warp,
                              std::uint32_t own_lane, std::uint32_t now) {
  const Publishes how{(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, of_lanes};
  Block& b = block();
  Warp& w = b.warps[warp];
  Thread* const t = is_apart(w, own_lane) ? &thread_of(b, warp * 32 + own_lane) : nullptr;
  const Knowledge& k = t != nullptr ? t->knowledge : w.common;
  const std::uint32_t lanes = how.lanes != 0 ? how.lanes : 1U << own_lane;
  const std::uint32_t barrier = look(w.barrier);
  const bool travels = look(b.is_fenced) != 0;
  if (!how.is_release && k.block_fence == 0 && !travels) return false;
  Recent* const recent = t != nullptr ? &recent_at(*t, key) : nullptr;
  const Found at = find(key, {head, count}, true);
  if (at.number == 0) return true;
  Published& last = t != nullptr ? recent->published : w.published;
  if (!how.is_release && last.key == key && last.own == k.block_fence && last.barrier == barrier) {
    // The same once more: unless somebody else has ended what it was part of.
    const bool is_there =
        how.continues ? is_same_sequence(last.position, at.position) : last.position == at.position;
    if (is_there && at.head != 0 && (t != nullptr || (lanes & ~w.published_by) == 0)) {
      return true;
    }
  }
  const bool all_out = how.is_release && !how.block_scope;
  const std::uint32_t own = all_out ? now : how.block_scope ? 0 : k.device_fence;
  const std::uint32_t own_here = how.is_release ? now : k.block_fence;
  const bool needs_fences = !how.block_scope && own < barrier;
  const std::uint32_t warps = (b.size + 31) / 32;
  const std::uint32_t index = new_nodes(needs_fences ? 1 + (warps + 15) / 16 : 1);
  if (index == 0) return true;
  Node& node = node_at(b, index);
  std::uint32_t all_before = barrier;
  if (needs_fences) {
    // 16 times in each of the nodes behind it.
    auto* const times = reinterpret_cast<std::uint32_t*>(&node_at(b, index + 1));
    for (std::uint32_t i = 0; i < warps; ++i) {
      const std::uint32_t fenced = look(b.warps[i].device_fence);
      times[i] = fenced;
      if (fenced < all_before) all_before = fenced;
    }
  }
  const std::uint32_t met = look(w.meet), in_block = known_to_block(b, w);
  store_part(node.who,
             {(how.block_scope ? kBlockScope : 0U) | (how.is_release ? 0U : kFenced) |
                  warp << kNodeWarpAt | all_before << kNodeTimeAt,
              static_cast<std::uint32_t>(b.block), own | own_here << 16, barrier | met << 16});
  store_part(node.known,
             {all_out ? k.know : k.device_know, all_out || travels ? in_block : k.device_block_know,
              how.is_release ? k.know : k.here_know,
              how.is_release || travels ? in_block : k.here_block_know});
  std::uint32_t time = (own > own_here ? own : own_here) + 1;
  if (time < met) time = met;
  if (time < barrier) time = barrier;
  const Appended slot =
      append(at, LocationKey::of(key), index, {lanes, needs_fences ? index + 1 : 0, 0, 0}, time,
             how.continues, how.is_release);
  last = {key, slot.position, how.is_release ? kNoFence : k.block_fence,
          static_cast<std::uint16_t>(barrier)};
  if (t == nullptr) {
    w.published_by = lanes;
    return true;
  }
  // Whoever knew all that was there knows all that is there now.
  const std::uint32_t only = slot.before == 0 ? 0 : recent->head & kOnlyHere;
  if ((recent->head ^ only) == slot.before || slot.before == 0) recent->head = index | only;
  if (how.is_release) share_list(*t);
  return true;
}
REDFLAG_DEVICE bool publish(std::uint64_t key, const Pair& glanced, const Publishes& how,
                            std::uint32_t warp, std::uint32_t own_lane, std::uint32_t now) {
  const std::uint32_t flags =
      (how.is_release ? 1U : 0U) | (how.block_scope ? 2U : 0U) | (how.continues ? 4U : 0U);
  return publish_now(key, glanced.first, glanced.second, flags, how.lanes, warp, own_lane, now);
}
// Each lane publishes at its location; those that have no memory of their own, at one location, together.
REDFLAG_DEVICE bool publish_by_lanes(std::uint64_t key, const Pair& glanced, Publishes how,
                                     std::uint32_t active, std::uint32_t warp, std::uint32_t now) {
  const std::uint32_t own = 1U << lane();
  if (active == own) return publish(key, glanced, how, warp, lane(), now);
  const Warp& w = block().warps[warp];
  const std::uint32_t alike = match_any(active, key) & ~look(w.apart);
  if ((alike & own) != 0) {
    if (!is_first(alike)) return true;
    how.lanes = alike;
  }
  return publish(key, glanced, how, warp, lane(), now);
}

// A barrier object hears of the lane's copies that were started before `now`.
REDFLAG_SLOW void publish_copies(std::uint64_t key, std::uint32_t warp, std::uint32_t own_lane,
                                 std::uint32_t now) {
  const Block& b = block();
  const Found at = find(key, true);
  const std::uint32_t index = at.number == 0 ? 0 : new_nodes(1);
  if (index == 0) return;
  Node& node = node_at(b, index);
  store_part(node.who,
             {kCopies | warp << kNodeWarpAt, static_cast<std::uint32_t>(b.block), now, 0});
  store_part(node.known, {});
  append(at, LocationKey::of(key), index, {1U << own_lane, 0, 0, 0}, now, true, false);
}

}  // namespace redflag::device::compact
