// iGUARD's metadata: the entry of a unit of memory, bit for bit.
//
// SOSP'21, section 6.1 and figure 4: sixteen bytes, the last writer and the last accessor (reader
// or writer) each with its thread, its counters and half of the filter of locks; flags with the
// writer, the tag with the accessor. The text gives the widths of fences (6), block barriers (8)
// and the filter (16); the rest is as the authors' published tool has it: 15 bits for a warp of the
// grid and 5 for a lane, 6 for warp barriers, 10 for the tag. Blocks are not kept: a warp's block
// is its number divided by the warps of a block.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::iguard {

inline constexpr unsigned kWarpBits = 15;
inline constexpr unsigned kLaneBits = 5;
inline constexpr unsigned kFenceBits = 6;
inline constexpr unsigned kBlockBarrierBits = 8;
inline constexpr unsigned kWarpBarrierBits = 6;
inline constexpr unsigned kTagBits = 10;

template <unsigned Bits>
REDFLAG_HD constexpr std::uint32_t wrapped(std::uint64_t value) {
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << Bits) - 1));
}

struct Writer {
  std::uint64_t locks : 8 = 0;  // the upper half
  std::uint64_t warp_barrier : kWarpBarrierBits = 0;
  std::uint64_t block_barrier : kBlockBarrierBits = 0;
  std::uint64_t block_fence : kFenceBits = 0;
  std::uint64_t device_fence : kFenceBits = 0;
  std::uint64_t lane : kLaneBits = 0;
  std::uint64_t warp : kWarpBits = 0;
  std::uint64_t unused : 4 = 0;
  std::uint64_t device_shared : 1 = 0;  // accessed by several blocks
  std::uint64_t block_shared : 1 = 0;   // by several warps of one block
  std::uint64_t block_scope : 1 = 0;    // of the last access, if atomic
  std::uint64_t is_atomic : 1 = 0;      // the last access was
  std::uint64_t modified : 1 = 0;
  std::uint64_t valid : 1 = 0;
};
struct Accessor {
  std::uint64_t locks : 8 = 0;  // the lower half
  std::uint64_t warp_barrier : kWarpBarrierBits = 0;
  std::uint64_t block_barrier : kBlockBarrierBits = 0;
  std::uint64_t block_fence : kFenceBits = 0;
  std::uint64_t device_fence : kFenceBits = 0;
  std::uint64_t lane : kLaneBits = 0;
  std::uint64_t warp : kWarpBits = 0;
  std::uint64_t tag : kTagBits = 0;
};
struct Entry {
  Writer writer;
  Accessor accessor;

  REDFLAG_HD constexpr std::uint32_t locks() const {
    return static_cast<std::uint32_t>(writer.locks << 8 | accessor.locks);
  }
  REDFLAG_HD constexpr void set_locks(std::uint32_t filter) {
    writer.locks = filter >> 8 & 0xFF;
    accessor.locks = filter & 0xFF;
  }
};
static_assert(sizeof(Writer) == 8 && sizeof(Accessor) == 8 && sizeof(Entry) == 16,
              "iGUARD, figure 4");
static_assert(8 + kWarpBarrierBits + kBlockBarrierBits + 2 * kFenceBits + kLaneBits + kWarpBits +
                  kTagBits ==
              64);

enum class AccessKind : std::uint8_t { kLoad, kStore };

// Counters of a thread, its warp and its block: the synchronisation metadata, as wide as in the
// entry.
struct Counters {
  std::uint32_t device_fence = 0;
  std::uint32_t block_fence = 0;
  std::uint32_t block_barrier = 0;
  std::uint32_t warp_barrier = 0;
};

// An access as the instrumentation sees it. An atomic that writes is a store.
struct Access {
  AccessKind kind = AccessKind::kLoad;
  bool is_atomic = false;
  bool block_scope = false;       // of an atomic
  std::uint32_t warp = 0;         // of the grid, as wide as in the entry
  std::uint32_t lane = 0;         //
  std::uint32_t active = 0;       // lanes that execute the instruction together
  std::uint32_t locks = 0;        // the filter of what the thread holds
  std::uint32_t block_warps = 1;  // warps of a block
  Counters counters;
};

}  // namespace redflag::gpu::iguard
