// Older accessors of a unit of memory, for iGUARD's experiment with 2, 4 and 8 of them (section
// 6.7).
//
// Eight bytes each, as an entry's accessor has them; where that one has the tag, an older one has
// what kind of access it was. The locks of older accessors are not kept: R5 is asked of the last
// one only.
#pragma once

#include <array>
#include <cstdint>

#include "core/detect/gpu/iguard/rules.h"

namespace redflag::gpu::iguard {

inline constexpr unsigned kMostHistory = 8;

struct Past {
  std::uint64_t unused_locks : 8 = 0;
  std::uint64_t warp_barrier : kWarpBarrierBits = 0;
  std::uint64_t block_barrier : kBlockBarrierBits = 0;
  std::uint64_t block_fence : kFenceBits = 0;
  std::uint64_t device_fence : kFenceBits = 0;
  std::uint64_t lane : kLaneBits = 0;
  std::uint64_t warp : kWarpBits = 0;
  std::uint64_t writes : 1 = 0;
  std::uint64_t is_atomic : 1 = 0;
  std::uint64_t block_scope : 1 = 0;
  std::uint64_t valid : 1 = 0;
  std::uint64_t unused : 6 = 0;
};
static_assert(sizeof(Past) == 8);

// The last accessor of an entry, as one of the past.
constexpr Past past_of(const Entry& mm) {
  const Accessor& a = mm.accessor;
  const Writer& w = mm.writer;
  Past past;
  past.warp_barrier = a.warp_barrier;
  past.block_barrier = a.block_barrier;
  past.block_fence = a.block_fence;
  past.device_fence = a.device_fence;
  past.lane = a.lane;
  past.warp = a.warp;
  past.writes = w.modified && w.warp == a.warp && w.lane == a.lane &&
                        w.block_barrier == a.block_barrier && w.warp_barrier == a.warp_barrier &&
                        w.block_fence == a.block_fence && w.device_fence == a.device_fence
                    ? 1
                    : 0;
  past.is_atomic = w.is_atomic;
  past.block_scope = w.block_scope;
  past.valid = w.valid;
  return past;
}

// An entry in which that one is the only access, for the rules to decide on.
constexpr Entry entry_of(const Past& past, std::uint32_t locks) {
  Entry mm;
  Writer& w = mm.writer;
  w.warp_barrier = past.warp_barrier;
  w.block_barrier = past.block_barrier;
  w.block_fence = past.block_fence;
  w.device_fence = past.device_fence;
  w.lane = past.lane;
  w.warp = past.warp;
  w.valid = past.valid;
  w.modified = past.writes;
  w.is_atomic = past.is_atomic;
  w.block_scope = past.block_scope;
  Accessor& a = mm.accessor;
  a.warp_barrier = past.warp_barrier;
  a.block_barrier = past.block_barrier;
  a.block_fence = past.block_fence;
  a.device_fence = past.device_fence;
  a.lane = past.lane;
  a.warp = past.warp;
  mm.set_locks(locks);
  return mm;
}

// The newest first.
struct History {
  std::array<Past, kMostHistory - 1> older{};

  void push(const Past& past) {
    for (std::size_t i = older.size() - 1; i > 0; --i) older[i] = older[i - 1];
    older[0] = past;
  }
};

}  // namespace redflag::gpu::iguard
