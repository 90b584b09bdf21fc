// ScoRD's metadata: the entry of a unit of memory, and the counters of fences, bit for bit.
//
// ISCA'20, section IV and figure 7. The text gives the widths of the barrier and fence counters,
// the filter and the tag; block and warp numbers are those of the hardware of its table V: 15 SMs
// with 8 blocks each make 120 blocks, so 7 bits, and 32 warps make 5. Six flags follow. Of the 6
// bits that remain section VI would use 5, for the number of a thread.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::scord {

inline constexpr unsigned kBlockBits = 7;
inline constexpr unsigned kWarpBits = 5;
inline constexpr unsigned kBarrierBits = 8;
inline constexpr unsigned kFenceBits = 6;
inline constexpr unsigned kFilterBits = 16;
inline constexpr unsigned kTagBits = 4;

// What fits into a field: counters and numbers begin again at 0 (section IV-A: the source of false
// reports).
template <unsigned Bits>
REDFLAG_HD constexpr std::uint32_t wrapped(std::uint64_t value) {
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << Bits) - 1));
}

struct Entry {
  std::uint64_t locks : kFilterBits = 0;  // held by the warp that accessed last
  std::uint64_t block : kBlockBits = 0;
  std::uint64_t warp : kWarpBits = 0;
  std::uint64_t barrier : kBarrierBits = 0;
  std::uint64_t device_fence : kFenceBits = 0;
  std::uint64_t block_fence : kFenceBits = 0;
  std::uint64_t modified : 1 = 1;       // these three set: not accessed yet
  std::uint64_t block_shared : 1 = 1;   // by several warps of one block
  std::uint64_t device_shared : 1 = 1;  // by several blocks
  std::uint64_t is_atomic : 1 = 0;      // the last access was
  std::uint64_t block_scope : 1 = 0;    // and its scope
  std::uint64_t strong : 1 = 0;         // all accesses were, since the entry was new
  std::uint64_t tag : kTagBits = 0;     // which of 16 addresses (metadata cache)
  std::uint64_t unused : 6 = 0;
};
static_assert(sizeof(Entry) == 8, "ScoRD, figure 7");
static_assert(kFilterBits + kBlockBits + kWarpBits + kBarrierBits + 2 * kFenceBits + 6 + kTagBits +
                  6 ==
              64);

// Numbers of the last fences of a warp: an entry of the fence file, 12 bits.
struct Fences {
  std::uint16_t device : kFenceBits = 0;
  std::uint16_t block : kFenceBits = 0;
};
static_assert(sizeof(Fences) == 2);

enum class AccessKind : std::uint8_t { kLoad, kStore };

// What an SM sends to the race detector with a memory instruction. A read-modify-write that changed
// memory is a store.
struct Access {
  AccessKind kind = AccessKind::kLoad;
  bool is_atomic = false;
  bool strong = false;       // volatile, or atomic
  bool block_scope = false;  // of an atomic
  std::uint32_t block = 0;   // all of them as wide as in the entry
  std::uint32_t warp = 0;
  std::uint32_t barrier = 0;
  std::uint32_t locks = 0;
  Fences fences;  // its own
};

}  // namespace redflag::gpu::scord
