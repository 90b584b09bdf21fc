// Scans: the sum of the values of all lower ranks, or the result of another operator. For groups
// within a warp.
#pragma once
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

// With the thread's own value.
template <typename G, typename T, typename Operator>
__device__ __attribute__((nodebug, always_inline)) inline T inclusive_scan(const G& group, T value,
                                                                           Operator op) {
  const unsigned size = (unsigned)group.num_threads(), rank = (unsigned)group.thread_rank();
  for (unsigned by = 1; by < size; by *= 2) {
    const T other = group.shfl_up(value, by);
    if (rank >= by) value = op(other, value);
  }
  return value;
}
template <typename G, typename T>
__device__ __attribute__((nodebug, always_inline)) inline T inclusive_scan(const G& group,
                                                                           T value) {
  return inclusive_scan(group, value, plus<T>());
}
// Without it; the first thread gets T().
template <typename G, typename T, typename Operator>
__device__ __attribute__((nodebug, always_inline)) inline T exclusive_scan(const G& group, T value,
                                                                           Operator op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename G, typename T>
__device__ __attribute__((nodebug, always_inline)) inline T exclusive_scan(const G& group,
                                                                           T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
