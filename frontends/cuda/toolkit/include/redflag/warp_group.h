// Groups of lanes of one warp, which every group of cooperative groups of at most 32 threads is: a
// mask of lanes.
//
// Ranks go by lanes, lowest first. Values of any size that can be copied by bytes are shuffled in
// words of four.
#pragma once
#include <redflag/device.h>

namespace cooperative_groups {
namespace redflag {

#define REDFLAG_MEMBER __device__ __attribute__((nodebug, always_inline))

REDFLAG_MEMBER inline unsigned lane() {
  return __nvvm_read_ptx_sreg_laneid();
}
REDFLAG_MEMBER inline unsigned lanes_below() {
  return __nvvm_read_ptx_sreg_lanemask_lt();
}

// The bits of `word` at the set bits of `mask`, put together.
REDFLAG_MEMBER inline unsigned gather_bits(unsigned word, unsigned mask) {
  unsigned result = 0;
  for (unsigned at = 1; mask; at <<= 1, mask &= mask - 1)
    if (word & mask & -mask) result |= at;
  return result;
}
// The lane of the n-th set bit of `mask`.
REDFLAG_MEMBER inline unsigned lane_of_rank(unsigned mask, unsigned n) {
  if (mask == ~0u) return n & 31;
  for (; n > 0; n--) mask &= mask - 1;
  return (unsigned)__ffs((int)mask) - 1;
}
// The value of lane `from`.
template <typename T>
REDFLAG_MEMBER inline T shuffle(unsigned mask, const T& value, unsigned from) {
  static_assert(__is_trivially_copyable(T),
                "the type of a shuffled value must be trivially copyable");
  constexpr int words = (sizeof(T) + 3) / 4;
  int parts[words] = {};
  __builtin_memcpy(parts, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; i++) parts[i] = __shfl_sync(mask, parts[i], (int)from);
  T result;
  __builtin_memcpy(&result, parts, sizeof(T));
  return result;
}

// What tiles and coalesced groups have in common; G has mask(), rank(), size() and lane_of(rank).
template <typename G>
class WarpGroup {
 public:
  REDFLAG_MEMBER void sync() const { __syncwarp(self().mask()); }
  REDFLAG_MEMBER unsigned thread_rank() const { return self().rank(); }
  REDFLAG_MEMBER unsigned long long num_threads() const { return self().size(); }

  template <typename T>
  REDFLAG_MEMBER T shfl(T value, unsigned rank) const {
    return shuffle(self().mask(), value, self().lane_of(rank));
  }
  template <typename T>
  REDFLAG_MEMBER T shfl_down(T value, unsigned by) const {
    const unsigned rank = self().rank(), to = rank + by;
    return shuffle(self().mask(), value, self().lane_of(to < self().size() ? to : rank));
  }
  template <typename T>
  REDFLAG_MEMBER T shfl_up(T value, unsigned by) const {
    const unsigned rank = self().rank();
    return shuffle(self().mask(), value, self().lane_of(rank >= by ? rank - by : rank));
  }
  template <typename T>
  REDFLAG_MEMBER T shfl_xor(T value, unsigned bits) const {
    const unsigned rank = self().rank(), to = rank ^ bits;
    return shuffle(self().mask(), value, self().lane_of(to < self().size() ? to : rank));
  }
  REDFLAG_MEMBER int any(int condition) const {
    return __ballot_sync(self().mask(), condition) != 0;
  }
  REDFLAG_MEMBER int all(int condition) const {
    return __ballot_sync(self().mask(), condition) == self().mask();
  }
  REDFLAG_MEMBER unsigned ballot(int condition) const {
    return gather_bits(__ballot_sync(self().mask(), condition), self().mask());
  }
  template <typename T>
  REDFLAG_MEMBER unsigned match_any(T value) const {
    return gather_bits(__match_any_sync(self().mask(), value), self().mask());
  }
  template <typename T>
  REDFLAG_MEMBER unsigned match_all(T value, int& all_equal) const {
    return gather_bits(__match_all_sync(self().mask(), value, &all_equal), self().mask());
  }

 private:
  REDFLAG_MEMBER const G& self() const { return *static_cast<const G*>(this); }
};

}  // namespace redflag
}  // namespace cooperative_groups
