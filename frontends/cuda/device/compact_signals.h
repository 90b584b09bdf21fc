// compact across blocks: what fences, atomics and barrier objects publish, and who has learnt it.
//
// Clocks are not kept; they are looked for when needed (compact_search.h). A release appends a node: who published,
// up to which time of its own, of its warp's and of its block's, and what it had learnt. An acquire puts the
// location's last node onto the thread's list of what it knows. Barriers make what threads have learnt the
// block's.
//
// Most lanes of most kernels only fence, all of a warp together, and meet at barriers. They have no memory of
// their own: what they all know is in the warp's (Warp::common), and one lane keeps it for all. A lane that
// reads something, or fences apart from others, gets a Thread, which it gives back when the whole warp
// fences and has nothing left that only one of them knows. One who spins looks at the location, and
// does no more while that is as it was.
//
// Scopes: a release of block scope is for its own block. A thread's fence also counts for those whom
// it meets at a barrier (docs/semantics.md, "fence of another thread"): then the node carries the
// times of all warps' fences.
//
// Limits: a location's release sequence is not ended by plain stores. Device code.
#pragma once

#include "frontends/cuda/device/compact_search.h"

namespace redflag::device::compact {

struct Publishes {
  bool is_release = false;   // all that came before; else what came before the last fence
  bool block_scope = false;  // of the fence, or of the write
  bool continues = false;    // a read-modify-write: what was published there before stays
  std::uint32_t lanes = 0;   // who publish together, and know the same; 0: one alone
};

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
  t.waiting = 0;
}
// The lane's own memory, from now on.
REDFLAG_DEVICE Thread& own_thread(std::uint32_t warp, std::uint32_t own_lane) {
  Block& b = block();
  Warp& w = b.warps[warp];
  Thread& t = thread_of(b, warp * 32 + own_lane);
  if (is_apart(w, own_lane)) return t;
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
REDFLAG_DEVICE Recent& recent_at(Thread& t, std::uint64_t key) {
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) {
    if (t.recent[i].published.key == key) return t.recent[i];
  }
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
REDFLAG_DEVICE Recent* known_recent(Thread& t, std::uint64_t key) {
  std::uint64_t keys[kRecent];  // all are waited for together
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) keys[i] = t.recent[i].published.key;
  std::uint32_t found = kRecent;
#pragma unroll
  for (std::uint32_t i = 0; i < kRecent; ++i) found = keys[i] == key ? i : found;
  return found == kRecent ? nullptr : &t.recent[found];
}
// Whether the lane has told of this read-modify-write at this time, and has published what it can there:
// it spins. (No store ends what it has published.)
REDFLAG_DEVICE bool was_told(std::uint64_t key, std::uint32_t told, std::uint32_t warp) {
  const Block& b = block();
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
  const Block& b = block();
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

// What releases say of their blocks, and of their threads, is kept for what is asked next: of the last ones
// at a location, up to one that was known.
REDFLAG_DEVICE void hear(std::uint32_t release, std::uint32_t known, const Warp& w,
                         std::uint32_t learner) {
  constexpr std::uint32_t kMost = 4;
  Block& b = block();
  const std::uint32_t round = look(w.rounds);
#pragma unroll 1
  for (std::uint32_t i = 0; i < kMost && release != 0 && release != known; ++i) {
    const Node& node = node_at(b, release);
    const NodeWho who = load_part(node.who);
    const NodeWhere where = load_part(node.where);
    const std::uint32_t before = load_part(node.links).before;
    release = before != kNotLinked ? before : 0;
    const std::uint32_t of = who.block & kBlockMask;
    if ((who.flags & (kBlockScope | kCopies)) != 0 || where.lanes == 0 || is_own(b, of)) continue;
    const std::uint32_t thread = (who.flags >> kNodeWarpAt & 31) * 32 + first(where.lanes);
    keep(b.ordered, Kept::of(of, 0, who.flags >> kNodeTimeAt, learner, round));
    keep(b.heard, Kept::of(of, thread, who.own & 0xFFFF, learner, round));
  }
}

// Whether there is nothing at a location that the lane does not know.
REDFLAG_DEVICE bool knows_head(std::uint64_t of_key, const Pair& glanced, bool block_scope,
                               bool waits, std::uint32_t warp) {
  const Block& b = block();
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
  Thread& t = thread_of(b, warp * 32 + own_lane);
  const std::uint32_t kind = kLearnt | (block_scope ? kBlockScope : 0U);
  const std::uint32_t seen = head | (block_scope ? kOnlyHere : 0U);
  std::uint32_t known = 0;
  if (!is_apart(w, own_lane)) {
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
    hear(head, known, w, warp * 32 + own_lane);
  }
}

REDFLAG_DEVICE void learn_at(std::uint64_t key, const Pair& glanced, bool block_scope, bool waits) {
  const std::uint32_t warp = warp_in_block();
  if (knows_head(key, glanced, block_scope, waits, warp)) return;
  learn_now(key, glanced.first, glanced.second, block_scope, waits, warp, lane());
}

// A fence: what was read so far is learnt, and what is known now can be published.
REDFLAG_SLOW void settle(Knowledge& k, const Warp& w, bool block_scope, std::uint32_t now) {
  const Block& b = block();
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
    hear(t.waiting, 0, w, warp * 32 + lane());
    t.waiting = 0;
  }
  if (t.knowledge.know != 0) note_known(w, lane(), t.knowledge.know);
}

}  // namespace redflag::device::compact
