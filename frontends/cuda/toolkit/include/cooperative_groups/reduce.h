// reduce(): combines the values of all threads of a group; every thread gets the result. For groups
// within a warp.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

#define REDFLAG_OPERATOR(name, expression)        \
  template <typename T = void>                    \
  struct name {                                   \
    REDFLAG_MEMBER T operator()(T a, T b) const { \
      return expression;                          \
    }                                             \
  };                                              \
  template <>                                     \
  struct name<void> {                             \
    template <typename T>                         \
    REDFLAG_MEMBER T operator()(T a, T b) const { \
      return expression;                          \
    }                                             \
  };
REDFLAG_OPERATOR(plus, a + b)
REDFLAG_OPERATOR(less, b < a ? b : a)
REDFLAG_OPERATOR(greater, a < b ? b : a)
REDFLAG_OPERATOR(bit_and, a& b)
REDFLAG_OPERATOR(bit_or, a | b)
REDFLAG_OPERATOR(bit_xor, a ^ b)
#undef REDFLAG_OPERATOR

template <typename G, typename T, typename Operator>
__device__ __attribute__((nodebug, always_inline)) inline T reduce(const G& group, T value,
                                                                   Operator op) {
  const unsigned size = (unsigned)group.num_threads(), rank = (unsigned)group.thread_rank();
  // Each step adds the value `by` ranks further; values beyond the end are not added.
  for (unsigned by = 1; by < size; by *= 2) {
    const T other = group.shfl_down(value, by);
    if (rank + by < size) value = op(value, other);
  }
  return group.shfl(value, 0);
}
// The same, written to memory by one thread.
template <typename G, typename T, typename Operator>
__device__ __attribute__((nodebug, always_inline)) inline void reduce_store_async(const G& group,
                                                                                  T* to, T value,
                                                                                  Operator op) {
  const T all = reduce(group, value, op);
  if (group.thread_rank() == 0) *to = all;
}

}  // namespace cooperative_groups
