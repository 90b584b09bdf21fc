// Barracuda's shadow entry: what is known of a location, in 28 bytes and 4 of padding (figure 5.10).
//
// The text gives the parts and the sum: an epoch of the last write and one of the last read, a
// pointer to the map of concurrent readers, a spinlock and flags; 28 bytes, padded to 32. An epoch is
// a clock and a thread, 32 bits each: only so the parts make 28.
//
// The paper's padding and unused flag bits are used here. Lanes of a warp often read one place
// together: they are one epoch, of the first of them, and `mates` in the padding has all. The site of
// the last write, where it fits, lets a report name its line. The lock stays open: steps come one
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::barracuda {

class History;

struct Epoch {  // clock@thread; clock 0: none
  std::uint32_t clock = 0;
  std::uint32_t thread = 0;

  friend constexpr bool operator==(const Epoch&, const Epoch&) = default;
};
static_assert(sizeof(Epoch) == 8);

inline constexpr unsigned kSiteBits = 20;

struct ShadowEntry {
  Epoch write;
  Epoch read;
  History* others = nullptr;     // besides these two
  std::uint32_t lock : 8 = 0;    //
  std::uint32_t atomic : 1 = 0;  // the last write was
  std::uint32_t shared : 1 = 0;  // read by several that nothing orders: readers are in `others`
  std::uint32_t sync : 1 = 0;    // used as a synchronisation location
  std::uint32_t in_shared_memory : 1 = 0;
  std::uint32_t site : kSiteBits = 0;  // of the last write; 0: unknown. Not the paper's
  std::uint32_t mates = 0;             // lanes of `read`. Not the paper's
};
static_assert(offsetof(ShadowEntry, write) == 0 && offsetof(ShadowEntry, read) == 8 &&
              offsetof(ShadowEntry, others) == 16 && offsetof(ShadowEntry, mates) == 28);
static_assert(sizeof(ShadowEntry) == 32, "dissertation, section 5.5.3, Shadow Memory");

// What fits.
REDFLAG_HD constexpr std::uint32_t kept_site(std::uint32_t site) {
  return site < 1U << kSiteBits ? site : 0;
}

}  // namespace redflag::gpu::barracuda
