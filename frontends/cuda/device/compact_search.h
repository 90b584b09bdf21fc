// compact across blocks: whether signals order what a thread did before what another one does now.
//
// Asked only when two threads conflict and no barrier orders them; most answers take two or three loads that wait
// for each other. What a block did after it last published (its Outbox) is known to nobody else. Else its
// last releases that cover the epoch are looked at: each has a position at its location, and so has
// what the asking thread has learnt, so that comparing two numbers tells whether the one is within the
// other, however many releases are between. Only when that finds nothing are nodes searched, from what is
// known back through what those knew who published it.
//
// What the block's shared memory has of it is asked first (compact_kept.h).
//
// Limits: a search is given up after kMostSteps, and taken for ordered (State::undecided counts). Device code.
#pragma once

#include "frontends/cuda/device/compact_kept.h"

namespace redflag::device::compact {

inline constexpr std::uint32_t kMostSteps = 1024;
inline constexpr std::uint32_t kStack = 24;
inline constexpr std::uint32_t kRemembered = 64;
inline constexpr std::uint32_t kReleaseSteps = 12;  // releases of a block that are compared with
inline constexpr std::uint32_t kKnown = 6;          // elements of what is known

inline constexpr std::uint32_t kNoSearch = 4;

// A list of the block as it was when the warp last passed a barrier.
REDFLAG_DEVICE std::uint32_t behind_barrier(const std::uint64_t (&of)[2], const Warp& w) {
  const std::uint64_t one = look(of[0]), other = look(of[1]);
  const std::uint64_t end = (std::uint64_t{look(w.rounds)} + 1) << 32;
  const bool has_one = one < end, has_other = other < end;
  if (has_one && (!has_other || one > other)) return static_cast<std::uint32_t>(one);
  return has_other ? static_cast<std::uint32_t>(other) : 0;
}
REDFLAG_DEVICE std::uint32_t known_to_block(const Block& b, const Warp& w) {
  return behind_barrier(b.learnt, w);
}

// The list of a lane of the own warp.
REDFLAG_DEVICE std::uint32_t know_of(std::uint32_t warp, std::uint32_t of_lane) {
  Block& b = block();
  return load_relaxed<Reach::kBlock>(&thread_of(b, warp * 32 + of_lane).knowledge.know);
}

// Whether a release covers what that thread did then.
// `here`: to somebody of the same block.
REDFLAG_DEVICE bool covers(const Block& b, const NodeWho& who, const NodeWhere& where,
                           const Epoch& e, bool here) {
  if (e.block != (who.block & kBlockMask)) return false;
  const std::uint32_t warp = who.flags >> kNodeWarpAt & 31;
  const bool of_lane = e.warp == warp && (where.lanes >> e.lane & 1) != 0;
  if (e.is_copy != ((who.flags & kCopies) != 0)) return false;
  if (e.is_copy) return of_lane && e.time < (who.own & 0xFFFF);
  // What published is covered by its own node: there is no time between it and the fence before it.
  const std::uint32_t fenced = here ? who.own >> 16 : who.own & 0xFFFF;
  const bool itself = e.is_atomic && fenced != 0 && (who.flags & kFenced) != 0;
  const std::uint32_t own = itself ? fenced + 1 : fenced;
  if (e.warp == warp && e.time < own && (of_lane || e.time < who.before >> 16)) return true;
  if (e.time >= (who.before & 0xFFFF)) return false;
  if (here || where.fences == 0 || e.time < who.flags >> kNodeTimeAt) return true;
  const auto* const times = reinterpret_cast<const std::uint32_t*>(&node_at(b, where.fences));
  return e.time < load_relaxed<Reach::kDevice>(&times[e.warp]);
}
// Who learnt it must be of the block that it was meant for; whoever waits for bytes knows of copies.
REDFLAG_DEVICE bool is_meant(std::uint32_t release_flags, std::uint32_t learnt_flags, bool here) {
  return here || (release_flags & kCopies) != 0 ||
         ((release_flags | learnt_flags) & kBlockScope) == 0;
}

// What the asking lanes have learnt last: elements of their own lists, then of their block's.
struct Known {
  std::uint32_t location[kKnown] = {};  // 0: none
  std::uint32_t position[kKnown] = {};
  std::uint32_t head[kKnown] = {};  // the release
  std::uint32_t narrow = 0;         // a bit for each: read with block scope
  std::uint32_t count = 0;
};
REDFLAG_DEVICE void add_known(const Block& b, std::uint32_t list, std::uint32_t end, Known& known) {
  // Of lists of lists the first element of each; what waits is in registers, the oldest is forgotten.
  std::uint32_t rest = 0, rest2 = 0, rest3 = 0;
  for (std::uint32_t i = 0; i < 2 * kKnown && list != 0 && known.count < end; ++i) {
    const Node& at = node_at(b, list);
    const NodeWho who = load_part(at.who);
    const NodeWhere where = load_part(at.where);
    const NodeLinks links = load_part(at.links);
    if ((who.flags & kLink) != 0) {
      rest3 = rest2;
      rest2 = rest;
      rest = links.before;
      list = links.learnt;
      continue;
    }
#pragma unroll
    for (std::uint32_t k = 0; k < kKnown; ++k) {
      if (k != known.count) continue;
      known.location[k] = where.location;
      known.position[k] = where.position;
      known.head[k] = links.learnt;
    }
    known.narrow |= (who.flags & kBlockScope) << known.count++;
    list = rest != 0 ? rest : links.before;
    rest = rest2;
    rest2 = rest3;
    rest3 = 0;
  }
}
// Whether a block's last releases that cover the epoch, from `node` on, are within what is known. Returns the
// element's number, from 1; 0: none is. `flags`: of the release.
REDFLAG_DEVICE std::uint32_t find_release(const Block& b, std::uint32_t node, const Known& known,
                                          const Epoch& e, bool here, std::uint32_t steps,
                                          std::uint32_t& flags) {
  for (std::uint32_t i = 0; i < steps && node != 0; ++i) {
    const Node& at = node_at(b, node);
    const NodeWho who = load_part(at.who);
    const NodeWhere where = load_part(at.where);
    node = load_part(at.links).previous;
    if (!covers(b, who, where, e, here)) continue;
    flags = who.flags;
#pragma unroll
    for (std::uint32_t k = 0; k < kKnown; ++k) {
      if (known.location[k] != 0 && known.location[k] == where.location &&
          is_within(where.position, known.position[k]) &&
          is_meant(who.flags, known.narrow >> k & kBlockScope, here)) {
        return k + 1;
      }
    }
  }
  return 0;
}

// Whether one of the last releases at places that are known covers the epoch: as find_release.
REDFLAG_DEVICE std::uint32_t find_known(const Block& b, const Known& known, const Epoch& e,
                                        bool here, std::uint32_t steps, std::uint32_t& flags) {
#pragma unroll
  for (std::uint32_t k = 0; k < kKnown; ++k) {
    std::uint32_t node = known.head[k];
    for (std::uint32_t i = 0; i < steps && node != 0; ++i) {
      const Node& at = node_at(b, node);
      const NodeWho who = load_part(at.who);
      const NodeWhere where = load_part(at.where);
      const std::uint32_t before = load_part(at.links).before;
      node = before != kNotLinked ? before : 0;
      if (!covers(b, who, where, e, here)) continue;
      flags = who.flags;
      if (is_meant(who.flags, known.narrow >> k & kBlockScope, here)) return k + 1;
    }
  }
  return 0;
}

// From lists of what is known, back to a release that covers the epoch.
class Search {
 public:
  REDFLAG_DEVICE Search(const Block& b, const Epoch& e) : b_(b), e_(e) {}

  REDFLAG_DEVICE bool from(std::uint32_t list) {
    push(list);
    while (size_ > 0) {
      if (list_step(stack_[--size_])) return true;
    }
    return false;
  }
  REDFLAG_DEVICE bool gave_up() const { return steps_ >= kMostSteps; }

 private:
  REDFLAG_DEVICE void push(std::uint32_t list) {
    if (list == 0) return;
    if (size_ == kStack) {
      steps_ = kMostSteps;
      return;
    }
    stack_[size_++] = list;
  }
  // Lists have tails in common. What was seen long ago may be looked at again.
  REDFLAG_DEVICE bool was_seen(std::uint32_t key) {
    std::uint32_t& at = seen_[(key >> 3 ^ key) % kRemembered];
    if (at == key) return true;
    at = key;
    return false;
  }
  REDFLAG_DEVICE bool list_step(std::uint32_t list) {
    for (std::uint32_t i = list; i != 0;) {
      if (was_seen(i << 3)) return false;
      if (++steps_ >= kMostSteps) return true;
      const Node& element = node_at(b_, i);
      const NodeWho learnt = load_part(element.who);
      const NodeLinks links = load_part(element.links);
      i = links.before;
      if ((learnt.flags & kLink) != 0) {
        push(i);
        i = links.learnt;
        continue;
      }
      if (sequence_step(links.learnt, learnt)) return true;
    }
    return false;
  }
  REDFLAG_DEVICE bool sequence_step(std::uint32_t last, const NodeWho& learnt) {
    for (std::uint32_t j = last; j != 0;) {
      if (++steps_ >= kMostSteps) return true;
      const Node& node = node_at(b_, j);
      const NodeWho who = load_part(node.who);
      const bool here = who.block == learnt.block;
      if (was_seen(j << 3 | (learnt.flags & kBlockScope) << 1 | (here ? 5U : 4U))) return false;
      const NodeWhere where = load_part(node.where);
      const NodeKnown known = load_part(node.known);
      j = load_part(node.links).before;
      if (j == kNotLinked) {
        steps_ = kMostSteps;
        return true;
      }
      if (!is_meant(who.flags, learnt.flags, here)) continue;
      if (covers(b_, who, where, e_, here)) return true;
      push(here ? known.here_know : known.know);
      push(here ? known.here_block_know : known.block_know);
    }
    return false;
  }

  const Block& b_;
  const Epoch e_;
  std::uint32_t steps_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t stack_[kStack];
  std::uint32_t seen_[kRemembered] = {};
};

REDFLAG_SLOW bool search_nodes(std::uint32_t of_block, std::uint32_t of_warp, std::uint32_t of_lane,
                               std::uint32_t time, std::uint32_t warp, std::uint32_t together,
                               std::uint32_t flags) {
  const Block& b = block();
  const Warp& w = b.warps[warp];
  Search search(b, {of_block, of_warp, of_lane, time, (flags & 1) != 0, (flags & 2) != 0});
  bool found = search.from(known_to_block(b, w)) || search.from(look(w.common.know));
  for (std::uint32_t lanes = together & look(w.knows); !found && lanes != 0; lanes &= lanes - 1) {
    found = search.from(know_of(warp, first(lanes)));
  }
  if (search.gave_up()) atomic_add(&state_of(b).undecided, std::uint64_t{1});
  return found || search.gave_up();
}
// What the lanes know, then what all of the block do: at most so many elements of each.
REDFLAG_DEVICE Known known_now(const Block& b, std::uint32_t warp, std::uint32_t together,
                               std::uint32_t most, std::uint32_t of_block, std::uint32_t& own) {
  const Warp& w = b.warps[warp];
  Known known;
  const std::uint32_t lanes = together & look(w.knows), list = look(w.known_list);
  const std::uint32_t self = lanes & 1U << lane();
  if (lanes == 1U << (list >> kNodeBits)) {
    add_known(b, list & ((1U << kNodeBits) - 1), most, known);
  } else if (lanes != 0) {
    // The one who asks has most to say, then another one.
    if (self != 0) add_known(b, know_of(warp, lane()), most, known);
    const std::uint32_t rest = lanes ^ self;
    if (rest != 0) add_known(b, know_of(warp, first(rest)), most, known);
  }
  add_known(b, look(w.common.know), most, known);
  own = known.count;
  add_known(b, known_to_block(b, w), own + of_block, known);
  return known;
}

REDFLAG_SLOW bool search_learnt(std::uint32_t of_block, std::uint32_t of_warp,
                                std::uint32_t of_lane, std::uint32_t time, std::uint32_t warp,
                                std::uint32_t together, std::uint32_t flags) {
  Block& b = block();
  const State& s = state_of(b);
  const Warp& w = b.warps[warp];
  const Epoch e{of_block, of_warp, of_lane, time, (flags & 1) != 0, (flags & 2) != 0};
  if (is_kept(b, e, warp, together)) return true;
  if (hear_last(warp, together) && is_kept(b, e, warp, together)) return true;
  const auto* const outboxes = reinterpret_cast<const Outbox*>(b.outboxes);
  const Outbox outbox{load_relaxed<Reach::kDevice>(&outboxes[of_block % kOutboxes].bits)};
  const std::uint32_t is_lossy = load_relaxed<Reach::kDevice>(&s.is_lossy);
  const bool here = is_own(b, of_block);
  const std::uint32_t launch = b.launch & kLaunchMask;
  // The last thing first, then a few more. What is known and what was published is waited for together.
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    std::uint32_t own = 0, of_release = 0;
    const Known known =
        known_now(b, warp, together, pass == 0 ? 2 : kKnown / 2, pass == 0 ? 1 : kKnown / 2, own);
    // A later launch may have taken the place of what this one has published.
    const bool is_known = outbox.launch() <= launch;
    const bool is_silent =
        is_known && (outbox.bits == 0 || outbox.launch() != launch || outbox.time() <= time);
    // What was not kept may have ordered it.
    if (is_silent) return is_lossy != 0;
    if (!is_known) break;
    std::uint32_t found =
        find_release(b, outbox.node(), known, e, here, pass == 0 ? 2 : kReleaseSteps, of_release);
    if (found == 0) found = find_known(b, known, e, here, pass == 0 ? 2 : 4, of_release);
    if (found > own && !here) {
      keep(b.ordered, Kept::of_all(of_block, of_release >> kNodeTimeAt, look(w.rounds)));
    }
    if (found != 0) return true;
    if ((flags & kNoSearch) != 0) return false;
  }
  if ((flags & kNoSearch) != 0) return false;
  return is_lossy != 0 || search_nodes(of_block, of_warp, of_lane, time, warp, together, flags) ||
         load_relaxed<Reach::kDevice>(&s.is_lossy) != 0;
}
// Whether signals order what that thread did then before what the lanes of `together` do now.
// `flags`: kNoSearch, if the answer may be no where it takes long to find out.
REDFLAG_DEVICE bool learnt(const Epoch& e, std::uint32_t warp, std::uint32_t together,
                           std::uint32_t flags = 0) {
  if (block().threads == 0) return false;
  return search_learnt(e.block, e.warp, e.lane, e.time, warp, together,
                       flags | (e.is_copy ? 1U : 0U) | (e.is_atomic ? 2U : 0U));
}

}  // namespace redflag::device::compact
