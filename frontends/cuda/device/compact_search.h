// compact across blocks: whether signals order what a thread did before what another one does now.
//
// Asked only when two threads conflict and no barrier orders them; most answers take two or three loads that wait
// for each other. What a block did after it last published (its Outbox) is known to nobody else. Else its
// last releases that cover the epoch are looked at: each has a position at its location, and so has
// what the asking thread has learnt, so that comparing two numbers tells whether the one is within the
// other, however many releases are between. Only when that finds nothing are nodes searched, from what is
// known back through what those knew who published it.
//
// What all of a block know of all that another did before some time stays so: it is kept in shared memory
// (Block::ordered), and asked there first.
//
// Limits: a search is given up after kMostSteps, and taken for ordered (State::undecided counts). Device code.
#pragma once

#include "frontends/cuda/device/compact_nodes.h"

namespace redflag::device::compact {

using gpu::compact::Epoch;
using gpu::compact::kBlockMask;

inline constexpr std::uint32_t kMostSteps = 1024;
inline constexpr std::uint32_t kStack = 24;
inline constexpr std::uint32_t kRemembered = 64;
inline constexpr std::uint32_t kReleases = 3;  // of a block that are compared with what is known
inline constexpr std::uint32_t kReleaseSteps = 8;  // of which those may be
inline constexpr std::uint32_t kListSteps = 8;     // elements of each list that are looked at first

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

// What was found, for others of the block: block (18), time (14), rounds of its barrier (32).
REDFLAG_DEVICE std::uint64_t& kept_at(Block& b, std::uint32_t of_block) {
  return b.ordered[of_block % kKept];
}
REDFLAG_DEVICE bool is_kept(Block& b, const Epoch& e, const Warp& w) {
  const std::uint64_t kept = look(kept_at(b, e.block));
  return kept >> 46 == e.block && e.time < (kept >> 32 & gpu::compact::kLastTime) &&
         static_cast<std::uint32_t>(kept) <= look(w.rounds) && !e.is_copy;
}
REDFLAG_DEVICE void keep(Block& b, const Epoch& e, const Warp& w, std::uint32_t flags) {
  const std::uint32_t time = flags >> kNodeTimeAt;
  if (e.time >= time) return;
  put(kept_at(b, e.block),
      std::uint64_t{e.block} << 46 | std::uint64_t{time} << 32 | look(w.rounds));
}

// The last releases of a block that cover the epoch.
struct Releases {
  std::uint32_t location[kReleases] = {};  // 0: none
  std::uint32_t position[kReleases];
  std::uint32_t flags[kReleases];
  bool here = false;
};
REDFLAG_DEVICE Releases releases_of(const Block& b, std::uint32_t last, const Epoch& e) {
  Releases out;
  out.here = e.block == (static_cast<std::uint32_t>(b.block) & kBlockMask);
  std::uint32_t count = 0, node = last;
  for (std::uint32_t i = 0; i < kReleaseSteps && node != 0 && count < kReleases; ++i) {
    const Node& at = node_at(b, node);
    const NodeWho who = load_part(at.who);
    const NodeWhere where = load_part(at.where);
    node = load_part(at.links).previous;
    if (!covers(b, who, where, e, out.here)) continue;
#pragma unroll
    for (std::uint32_t k = 0; k < kReleases; ++k) {
      if (k != count) continue;
      out.location[k] = where.location;
      out.position[k] = where.position;
      out.flags[k] = who.flags;
    }
    ++count;
  }
  return out;
}
// Whether one of them is within what the list begins with. `flags`: of that one.
REDFLAG_DEVICE bool is_among(const Block& b, const Releases& releases, std::uint32_t list,
                             std::uint32_t& flags) {
  std::uint32_t rest = 0;
  for (std::uint32_t i = 0; i < kListSteps && list != 0; ++i) {
    const Node& at = node_at(b, list);
    const NodeWho who = load_part(at.who);
    const NodeWhere where = load_part(at.where);
    const NodeLinks links = load_part(at.links);
    if ((who.flags & kLink) != 0) {
      if (rest == 0) rest = links.before;
      list = links.learnt;
      continue;
    }
#pragma unroll
    for (std::uint32_t k = 0; k < kReleases; ++k) {
      if (releases.location[k] != 0 && releases.location[k] == where.location &&
          is_within(releases.position[k], where.position) &&
          is_meant(releases.flags[k], who.flags, releases.here)) {
        flags = releases.flags[k];
        return true;
      }
    }
    list = links.before;
    if (list != 0) continue;
    list = rest;
    rest = 0;
  }
  return false;
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
    found = search.from(thread_of(b, warp * 32 + first(lanes)).knowledge.know);
  }
  if (search.gave_up()) atomic_add(&state_of(b).undecided, std::uint64_t{1});
  return found || search.gave_up();
}
REDFLAG_SLOW bool search_learnt(std::uint32_t of_block, std::uint32_t of_warp,
                                std::uint32_t of_lane, std::uint32_t time, std::uint32_t warp,
                                std::uint32_t together, std::uint32_t flags) {
  Block& b = block();
  const State& s = state_of(b);
  const Warp& w = b.warps[warp];
  const Epoch e{of_block, of_warp, of_lane, time, (flags & 1) != 0, (flags & 2) != 0};
  if (is_kept(b, e, w)) return true;
  const Outbox outbox{load_relaxed<Reach::kDevice>(
      &reinterpret_cast<Outbox*>(s.outboxes)[of_block % kOutboxes].bits)};
  const std::uint32_t launch = b.launch & kLaunchMask;
  // A later launch took the place of what this one has published.
  const bool is_known = outbox.launch() <= launch;
  const bool is_silent =
      is_known && (outbox.bits == 0 || outbox.launch() != launch || outbox.time() <= time);
  const std::uint32_t of_lanes = together & look(w.knows);
  if (!is_silent) {
    if (is_known) {
      const Releases releases = releases_of(b, outbox.node(), e);
      std::uint32_t found = 0;
      if (releases.location[0] != 0) {
        if (is_among(b, releases, known_to_block(b, w), found)) {
          if (!releases.here) keep(b, e, w, found);
          return true;
        }
        if (is_among(b, releases, look(w.common.know), found)) return true;
        for (std::uint32_t lanes = of_lanes; lanes != 0; lanes &= lanes - 1) {
          const Thread& t = thread_of(b, warp * 32 + first(lanes));
          if (is_among(b, releases, load_relaxed<Reach::kBlock>(&t.knowledge.know), found)) {
            return true;
          }
        }
      }
    }
    if (search_nodes(of_block, of_warp, of_lane, time, warp, together, flags)) return true;
  }
  // What was not kept may have ordered it.
  return load_relaxed<Reach::kDevice>(&s.is_lossy) != 0;
}
// Whether signals order what that thread did then before what the lanes of `together` do now.
REDFLAG_DEVICE bool learnt(const Epoch& e, std::uint32_t warp, std::uint32_t together) {
  if (block().threads == 0) return false;
  return search_learnt(e.block, e.warp, e.lane, e.time, warp, together,
                       (e.is_copy ? 1U : 0U) | (e.is_atomic ? 2U : 0U));
}

}  // namespace redflag::device::compact
