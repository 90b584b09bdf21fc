// compact's nodes: where they come from, how they are read, and the locations that they are found by.
//
// Nodes are never freed while kernels run. A block takes some at a time, so that not all threads of a GPU meet at
// one counter, and gives them out in its shared memory. They are read past the first-level cache, which may
// have what was there before. A location is an entry of a table: its key and its last release (Slot) are
// loaded together. Device code.
#pragma once

#include "frontends/cuda/device/compact_block.h"

namespace redflag::device::compact {

using gpu::compact::kLaunchMask;

inline constexpr std::uint32_t kNodesAtOnce = 8;
inline constexpr std::uint32_t kMostProbes = 64;
inline constexpr std::uint64_t kNoNodes = std::uint64_t{1} << 31;  // as Block::free_nodes

struct Pair {
  std::uint64_t first, second;
};
// 16 bytes at once.
REDFLAG_DEVICE Pair load_pair(const void* at) {
  Pair pair;
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(pair.first), "=l"(pair.second)
               : "l"(reinterpret_cast<std::uint64_t>(at))
               : "memory");
  return pair;
}
REDFLAG_DEVICE void store_pair(void* at, std::uint64_t first, std::uint64_t second) {
  asm volatile(
      "st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(reinterpret_cast<std::uint64_t>(at)),
      "l"(first), "l"(second)
      : "memory");
}

REDFLAG_DEVICE Node& node_at(const Block& b, std::uint32_t index) {
  return reinterpret_cast<Node*>(b.nodes)[index];
}
// A part of a node that another thread may have made.
template <typename Part>
REDFLAG_DEVICE Part load_part(const Part& at) {
  static_assert(sizeof(Part) == sizeof(Pair));
  return __builtin_bit_cast(Part, load_pair(&at));
}
template <typename Part>
REDFLAG_DEVICE void store_part(Part& at, const Part& value) {
  static_assert(sizeof(Part) == sizeof(Pair));
  const Pair pair = __builtin_bit_cast(Pair, value);
  store_pair(&at, pair.first, pair.second);
}

// A signal is lost: from now on nobody can say that something is not ordered.
REDFLAG_SLOW void lose_signal(const Block& b) {
  State& s = state_of(b);
  atomic_add(&s.out_of_nodes, std::uint64_t{1});
  store_relaxed<Reach::kDevice>(&s.is_lossy, 1U);
}
REDFLAG_SLOW std::uint32_t more_nodes(std::uint32_t count) {
  Block& b = block();
  State& s = state_of(b);
  if (static_cast<std::uint32_t>(look(b.free_nodes)) < kNoNodes) {
    const std::uint32_t taken = count + kNodesAtOnce;
    const std::uint32_t index = atomic_add(&s.next_node, taken);
    if (index < s.node_count && taken < s.node_count - index) {
      // Two lanes may come here: what one of them took is nobody's then.
      atomic_exchange(&b.free_nodes, std::uint64_t{index + taken} << 32 | (index + count));
      return index;
    }
    atomic_exchange(&b.free_nodes, kNoNodes);
  }
  lose_signal(b);
  return 0;
}
REDFLAG_DEVICE std::uint32_t new_nodes(std::uint32_t count) {  // 0: no more
  Block& b = block();
  const std::uint64_t free = atomic_add(&b.free_nodes, std::uint64_t{count});
  const auto next = static_cast<std::uint32_t>(free);
  if (next + count <= static_cast<std::uint32_t>(free >> 32)) return next;
  return more_nodes(count);
}
// Who waits for something has the time to take some.
REDFLAG_DEVICE void stock_up() {
  const std::uint64_t free = look(block().free_nodes);
  if (static_cast<std::uint32_t>(free) == free >> 32) more_nodes(0);
}
// An element of a list: kLearnt or kLink, and what it is of.
REDFLAG_SLOW std::uint32_t new_element(std::uint32_t flags, std::uint32_t learnt,
                                       std::uint32_t before, std::uint32_t location,
                                       std::uint32_t position) {
  const std::uint32_t index = new_nodes(1);
  if (index == 0) return before;
  const Block& b = block();
  Node& node = node_at(b, index);
  store_part(node.who, {flags, static_cast<std::uint32_t>(b.block), 0, 0});
  store_part(node.where, {0, 0, location, position});
  store_part(node.links, {before, learnt, 0, 0});
  return index;
}
// A list, and behind it another one.
REDFLAG_DEVICE std::uint32_t linked(std::uint32_t list, std::uint32_t rest) {
  if (rest == 0 || list == rest) return list;
  return list == 0 ? rest : new_element(kLink, list, rest, 0, 0);
}

struct Found {
  Location* location = nullptr;
  std::uint32_t number = 0;  // of the location, from 1; 0: there is none
  // Of this launch, or 0.
  std::uint32_t head = 0;
  std::uint32_t position = 0;
  Count count;  // as it is there
};
REDFLAG_DEVICE Location* location_at(const Block& b, std::uint32_t place) {
  return reinterpret_cast<Location*>(b.locations) + (place & b.location_mask);
}
// A look at where the key's location nearly always is: begun early, it is waited for with other things.
REDFLAG_DEVICE Pair glance(std::uint64_t key) {
  return load_pair(location_at(block(), LocationKey::of(key).place()));
}
// Whether the key's location is where this is; an empty place becomes that, if it should.
REDFLAG_DEVICE bool is_there(Location* at, LocationKey key, Pair& have, bool make) {
  if ((have.first | have.second) == 0 && make) {
    const Count fresh = Count::of(block().launch, 0, key);
    have.second = compare_swap(&at->count.bits, std::uint64_t{0}, fresh.bits);
    if (have.second == 0) have.second = fresh.bits;
  }
  return Count{have.second}.is_of(key) && Head{have.first}.is_of(key);
}
// The same behind the first place; nullptr: it is nowhere, or there is no room.
REDFLAG_SLOW Location* probe(std::uint64_t mixed, bool make) {
  const Block& b = block();
  const LocationKey key{mixed};
  for (std::uint32_t i = 1; i < kMostProbes; ++i) {
    Location* const at = location_at(b, key.place() + i);
    Pair have = load_pair(at);
    if (is_there(at, key, have, make)) return at;
    if ((have.first | have.second) == 0) return nullptr;
  }
  if (make) lose_signal(b);
  return nullptr;
}
REDFLAG_DEVICE Found find(std::uint64_t of_key, const Pair& glanced, bool make) {
  const Block& b = block();
  const LocationKey key = LocationKey::of(of_key);
  Location* at = location_at(b, key.place());
  Pair have = glanced;
  if (!is_there(at, key, have, make)) {
    at = (have.first | have.second) == 0 ? nullptr : probe(key.bits, make);
    if (at == nullptr) return {};
    have = load_pair(at);
  }
  const Count count{have.second};
  return {at, static_cast<std::uint32_t>(at - location_at(b, 0)) + 1, Head{have.first}.in(b.launch),
          count.in(b.launch), count};
}
REDFLAG_DEVICE Found find(std::uint64_t key, bool make) {
  return find(key, glance(key), make);
}

}  // namespace redflag::device::compact
