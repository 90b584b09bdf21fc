// compact across blocks: what fences, atomics and barrier objects publish, and who has learnt it.
//
// Clocks are not kept; they are looked for when needed. A release appends a node: who published, up
// to which time of its own, of its warp's and of its block's, and what it had learnt. An acquire puts
// the location's last node onto the thread's list of what it knows. Both take a few stores. Only when
// an access meets one of another thread that no barrier orders before it are the nodes searched:
// from what the thread knows, back through what those knew who published it. Barriers make what
// threads have learnt the block's.
//
// Scopes: a release of block scope is for its own block. A thread's fence also counts for those whom
// it meets at a barrier (docs/semantics.md, "fence of another thread"): then the node carries the
// times of all warps' fences.
//
// Limits: a search is given up after kMostSteps, and taken for ordered (State::undecided counts); a
// location's release sequence is not ended by plain stores. Device code.
#pragma once

#include "frontends/cuda/device/compact_block.h"

namespace redflag::device::compact {

using gpu::compact::Epoch;
using gpu::compact::kBlockMask;

inline constexpr std::uint32_t kMostSteps = 4096;
inline constexpr std::uint32_t kStack = 24;
inline constexpr std::uint32_t kRemembered = 64;

REDFLAG_DEVICE Node& node_at(const Block& b, std::uint32_t index) {
  return reinterpret_cast<Node*>(state_of(b).nodes)[index];
}
// A signal is lost: from now on nobody can say that something is not ordered.
REDFLAG_SLOW void lose_signal(const Block& b) {
  State& s = state_of(b);
  atomic_add(&s.out_of_nodes, std::uint64_t{1});
  store_relaxed<Reach::kDevice>(&s.is_lossy, 1U);
}
REDFLAG_DEVICE std::uint32_t new_nodes(const Block& b, std::uint32_t count) {  // 0: no more
  State& s = state_of(b);
  if (load_relaxed<Reach::kDevice>(&s.next_node) + count < s.node_count) {
    const std::uint32_t index = atomic_add(&s.next_node, count);
    if (index + count < s.node_count) return index;
  }
  lose_signal(b);
  return 0;
}

REDFLAG_DEVICE std::uint64_t mixed(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15ULL;
  return key ^ key >> 29;
}
// The location's entry; nullptr: there is none (`make` false), or no room.
REDFLAG_SLOW Location* location_of(const Block& b, std::uint64_t key, bool make) {
  State& s = state_of(b);
  auto* const table = reinterpret_cast<Location*>(s.locations);
  const std::uint32_t mask = s.location_count - 1;
  std::uint32_t at = static_cast<std::uint32_t>(mixed(key)) & mask;
  for (std::uint32_t i = 0; i < 64; ++i, at = (at + 1) & mask) {
    std::uint64_t have = load_relaxed<Reach::kDevice>(&table[at].key);
    if (have == 0 && make) have = compare_swap(&table[at].key, std::uint64_t{0}, key);
    if (have == 0) {
      if (make) return &table[at];
      return nullptr;
    }
    if (have == key) return &table[at];
  }
  if (make) lose_signal(b);
  return nullptr;
}
// The last release there, of this launch; 0: none.
REDFLAG_DEVICE std::uint32_t head_of(const Block& b, Location* location) {
  if (location == nullptr) return 0;
  const std::uint64_t both =
      load_relaxed<Reach::kDevice>(reinterpret_cast<std::uint64_t*>(&location->launch));
  if (static_cast<std::uint32_t>(both) != b.launch) return 0;
  return static_cast<std::uint32_t>(both >> 32);
}

// A store ends what was published there before.
REDFLAG_DEVICE void end_sequence(std::uint64_t key) {
  const Block& b = block();
  Location* const location = location_of(b, key, false);
  if (location == nullptr || head_of(b, location) == 0) return;
  atomic_exchange(reinterpret_cast<std::uint64_t*>(&location->launch), std::uint64_t{b.launch});
}

struct Publishes {
  bool is_release = false;   // all that came before; else what came before the last fence
  bool block_scope = false;  // of the fence, or of the write
  bool continues = false;    // a read-modify-write: what was published there before stays
  std::uint32_t lanes = 0;   // who publish together, and know the same; 0: one alone
};

// A list of the block as it was when the warp last passed a barrier.
REDFLAG_DEVICE std::uint32_t behind_barrier(const std::uint64_t (&of)[2], const Warp& w) {
  const std::uint32_t rounds = look(w.rounds);
  if (rounds == 0) return 0;
  const std::uint64_t list = look(of[(rounds - 1) & 1]);
  return list >> 32 == rounds ? static_cast<std::uint32_t>(list) : 0;
}
REDFLAG_DEVICE std::uint32_t known_to_block(const Block& b, const Warp& w) {
  return behind_barrier(b.learnt, w);
}
// One lane arrives at a barrier with a list, which becomes part of the block's.
REDFLAG_SLOW void hand_over(std::uint32_t list, std::uint64_t (&of)[2], const Warp& w) {
  const Block& b = block();
  const std::uint32_t round = look(w.rounds) + 1;
  std::uint32_t tail = list;
  while (tail != 0 && node_at(b, tail).before != 0) tail = node_at(b, tail).before;
  std::uint64_t& at = of[(round - 1) & 1];
  std::uint64_t old = look(at);
  for (;;) {
    const bool begun = old >> 32 == round;
    if (begun && tail == 0) return;
    // What was known behind the barrier before is known still.
    const std::uint32_t rest = begun ? static_cast<std::uint32_t>(old) : behind_barrier(of, w);
    if (tail != 0) node_at(b, tail).before = rest;
    fence<Reach::kDevice>();
    const std::uint32_t next = tail != 0 ? list : rest;
    const std::uint64_t seen = compare_swap(&at, old, std::uint64_t{round} << 32 | next);
    if (seen == old) return;
    old = seen;
  }
}
// What it has learnt, what it has read, and that it has fenced: now the block's.
REDFLAG_DEVICE void hand_over(Thread& t, const Warp& w) {
  Block& b = block();
  hand_over(t.know, b.learnt, w);
  hand_over(t.pending, b.pending, w);
  t.know = t.pending = 0;
  if (t.device_fence != 0) put(b.is_fenced, 1U);
}

// The location's next node. `continues`: those before it stay.
REDFLAG_DEVICE void append(Location* location, std::uint32_t index, Node& node, bool continues) {
  const Block& b = block();
  auto* const slot = reinterpret_cast<std::uint64_t*>(&location->launch);
  std::uint64_t old = load_relaxed<Reach::kDevice>(slot);
  for (;;) {
    const bool is_old = static_cast<std::uint32_t>(old) != b.launch;
    node.before = continues && !is_old ? static_cast<std::uint32_t>(old >> 32) : 0;
    node_at(b, index) = node;
    fence<Reach::kDevice>();
    const std::uint64_t seen = compare_swap(slot, old, std::uint64_t{index} << 32 | b.launch);
    if (seen == old) return;
    old = seen;
  }
}

// One lane publishes at a location.
REDFLAG_SLOW void publish(std::uint64_t key, const Publishes& how, std::uint32_t warp,
                          std::uint32_t own_lane, std::uint32_t now) {
  Block& b = block();
  Thread& t = thread_of(b, warp * 32 + own_lane);
  Warp& w = b.warps[warp];
  const std::uint32_t barrier = look(w.barrier);
  const std::uint32_t fenced = how.block_scope ? 0 : t.device_fence;
  const bool travels = look(b.is_fenced) != 0;
  if (!how.is_release && t.block_fence == 0 && !travels) return;
  if (!how.is_release && t.last_key == key && t.last_own == t.block_fence &&
      t.last_know == t.know) {
    return;
  }
  Location* const location = location_of(b, key, true);
  if (location == nullptr) return;
  const std::uint32_t own = how.is_release && !how.block_scope ? now : fenced;
  const bool needs_fences = own < barrier || own == 0;
  const std::uint32_t index = new_nodes(b, needs_fences ? 4 : 1);
  if (index == 0) return;
  Node node;
  node.flags = (how.block_scope ? kBlockScope : 0U) | (how.is_release ? 0U : kFenced);
  node.block = static_cast<std::uint32_t>(b.block);
  node.warp = warp;
  node.lanes = how.lanes != 0 ? how.lanes : 1U << own_lane;
  node.own = own;
  node.own_here = how.is_release ? now : t.block_fence;
  const std::uint32_t met = look(w.meet);
  node.meet = met;
  node.barrier = barrier;
  node.fences = 0;
  const std::uint32_t in_block = known_to_block(b, w);
  const bool all_out = how.is_release && !how.block_scope;
  node.know = all_out ? t.know : t.device_know;
  node.block_know = all_out || travels ? in_block : t.device_block_know;
  node.here_know = how.is_release ? t.know : t.here_know;
  node.here_block_know = how.is_release || travels ? in_block : t.here_block_know;
  node.learnt = 0;
  if (needs_fences) {
    // Three more nodes hold 32 times.
    node.fences = index + 1;
    auto* const times = reinterpret_cast<std::uint32_t*>(&node_at(b, index + 1));
    const std::uint32_t warps = (threads_of_block() + 31) / 32;
    for (std::uint32_t i = 0; i < kMostWarps; ++i) {
      times[i] = i < warps ? look(b.warps[i].device_fence) : 0;
    }
  }
  append(location, index, node, how.continues);
  t.last_key = key;
  t.last_own = t.block_fence;
  t.last_know = t.know;
}

// A barrier object hears of the lane's copies that were started before `now`.
REDFLAG_SLOW void publish_copies(std::uint64_t key, std::uint32_t warp, std::uint32_t own_lane,
                                 std::uint32_t now) {
  const Block& b = block();
  Location* const location = location_of(b, key, true);
  const std::uint32_t index = location == nullptr ? 0 : new_nodes(b, 1);
  if (index == 0) return;
  Node node{};
  node.flags = kCopies;
  node.block = static_cast<std::uint32_t>(b.block);
  node.warp = warp;
  node.lanes = 1U << own_lane;
  node.own = now;
  append(location, index, node, true);
}

// One lane learns what a release node, and all before it, published.
// `list`: the thread's, or what it learns at its next fence.
REDFLAG_SLOW void learn(std::uint32_t head, bool block_scope, std::uint32_t& list) {
  const Block& b = block();
  if (head == 0) return;
  if (list != 0 && node_at(b, list).learnt == head) return;
  const std::uint32_t index = new_nodes(b, 1);
  if (index == 0) return;
  Node node{};
  node.flags = kLearnt | (block_scope ? kBlockScope : 0U);
  node.block = static_cast<std::uint32_t>(b.block);
  node.learnt = head;
  node.before = list;
  node_at(b, index) = node;
  fence<Reach::kDevice>();
  list = index;
}
// One lane's fence: what it has read so far is learnt, and what it knows now can be published.
REDFLAG_SLOW void settle(Thread& t, const Warp& w, bool block_scope, std::uint32_t now) {
  const Block& b = block();
  if (t.pending != 0) {
    std::uint32_t tail = t.pending;
    while (node_at(b, tail).before != 0) tail = node_at(b, tail).before;
    node_at(b, tail).before = t.know;
    t.know = t.pending;
    t.pending = 0;
  }
  const std::uint32_t of_block = behind_barrier(b.pending, w);
  const std::uint32_t index = of_block != t.last_pending ? new_nodes(b, 1) : 0;
  if (index != 0) {
    Node link{};
    link.flags = kLink;
    link.before = t.know;
    link.learnt = of_block;
    node_at(b, index) = link;
    fence<Reach::kDevice>();
    t.know = index;
    t.last_pending = of_block;
  }
  t.block_fence = now;
  t.here_know = t.know;
  t.here_block_know = known_to_block(b, w);
  if (block_scope) return;
  t.device_fence = now;
  t.device_know = t.know;
  t.device_block_know = t.here_block_know;
}

// Whether a release covers what that thread did then.
// `here`: to somebody of the same block.
REDFLAG_DEVICE bool covers(const Block& b, const Node& r, const Epoch& e, bool here) {
  if (e.block != (r.block & kBlockMask)) return false;
  if (e.is_copy != ((r.flags & kCopies) != 0)) return false;
  if (e.is_copy) return e.warp == r.warp && (r.lanes >> e.lane & 1) != 0 && e.time < r.own;
  // What published is covered by its own node: there is no time between it and the fence before it.
  const std::uint32_t fenced = here ? r.own_here : r.own;
  const bool itself = e.is_atomic && fenced != 0 && (r.flags & kFenced) != 0;
  const std::uint32_t own = itself ? fenced + 1 : fenced;
  if (e.warp == r.warp && e.time < own && ((r.lanes >> e.lane & 1) != 0 || e.time < r.meet)) {
    return true;
  }
  if (e.time >= r.barrier) return false;
  if (here || r.fences == 0) return true;
  const auto* const times = reinterpret_cast<const std::uint32_t*>(&node_at(b, r.fences));
  return e.time < times[e.warp];
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
      const Node& learnt = node_at(b_, i);
      if ((learnt.flags & kLink) != 0) {
        push(learnt.learnt);
        i = learnt.before;
        continue;
      }
      for (std::uint32_t j = learnt.learnt; j != 0;) {
        if (++steps_ >= kMostSteps) return true;
        const Node& r = node_at(b_, j);
        // Who learnt it must be of the block that it was meant for.
        const bool here = r.block == learnt.block;
        if (was_seen(j << 3 | (learnt.flags & kBlockScope) << 1 | (here ? 5U : 4U))) break;
        const bool copies = (r.flags & kCopies) != 0;  // whoever waits for bytes knows of them
        if (here || copies || ((r.flags | learnt.flags) & kBlockScope) == 0) {
          if (covers(b_, r, e_, here)) return true;
          push(here ? r.here_know : r.know);
          push(here ? r.here_block_know : r.block_know);
        }
        j = r.before;
      }
      i = learnt.before;
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

REDFLAG_SLOW bool search_learnt(std::uint32_t of_block, std::uint32_t of_warp,
                                std::uint32_t of_lane, std::uint32_t time, std::uint32_t warp,
                                std::uint32_t together, std::uint32_t flags) {
  const Block& b = block();
  // What was not kept may have ordered it.
  if (load_relaxed<Reach::kDevice>(&state_of(b).is_lossy) != 0) return true;
  Search search(b, {of_block, of_warp, of_lane, time, (flags & 1) != 0, (flags & 2) != 0});
  bool found = search.from(known_to_block(b, b.warps[warp]));
  for (std::uint32_t lanes = together; !found && lanes != 0; lanes &= lanes - 1) {
    found = search.from(thread_of(b, warp * 32 + first(lanes)).know);
  }
  if (search.gave_up()) atomic_add(&state_of(b).undecided, std::uint64_t{1});
  return found || search.gave_up();
}
// Whether signals order what that thread did then before what the lanes of `together` do now.
REDFLAG_DEVICE bool learnt(const Epoch& e, std::uint32_t warp, std::uint32_t together) {
  if (block().threads == 0) return false;
  return search_learnt(e.block, e.warp, e.lane, e.time, warp, together,
                       (e.is_copy ? 1U : 0U) | (e.is_atomic ? 2U : 0U));
}

}  // namespace redflag::device::compact
