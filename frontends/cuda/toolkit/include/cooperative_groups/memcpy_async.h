// memcpy_async(): a group copies from global to shared memory together and continues while the copy
// is pending.
//
// Where the places and the size allow it a thread copies pieces of 16, 8 or 4 bytes with cp.async;
// other copies are plain ones, which have completed when the call returns.
#pragma once
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cooperative_groups {

// A number of bytes that is a multiple of N, as both places are.
template <size_t N>
struct aligned_size_t {
  size_t bytes;
  __host__ __device__ constexpr explicit aligned_size_t(size_t n) : bytes(n) {}
  __host__ __device__ constexpr operator size_t() const { return bytes; }
};

namespace redflag {
template <int piece, typename G>
REDFLAG_MEMBER inline void copy_pieces(const G& group, char* to, const char* from, size_t bytes) {
  const size_t step = (size_t)group.num_threads() * piece;
  for (size_t at = (size_t)group.thread_rank() * piece; at < bytes; at += step)
    __pipeline_memcpy_async(to + at, from + at, piece);
}
template <typename G>
REDFLAG_MEMBER inline void copy(const G& group, void* to, const void* from, size_t bytes) {
  const size_t both = (size_t)to | (size_t)from | bytes;
  const bool async = __isShared(to) && __isGlobal(from);
  if (async && (both & 15) == 0) {
    copy_pieces<16>(group, (char*)to, (const char*)from, bytes);
  } else if (async && (both & 7) == 0) {
    copy_pieces<8>(group, (char*)to, (const char*)from, bytes);
  } else if (async && (both & 3) == 0) {
    copy_pieces<4>(group, (char*)to, (const char*)from, bytes);
  } else {
    for (size_t at = group.thread_rank(); at < bytes; at += group.num_threads())
      ((char*)to)[at] = ((const char*)from)[at];
  }
  __pipeline_commit();
}
}  // namespace redflag

template <typename G, typename T, typename U>
REDFLAG_MEMBER inline void memcpy_async(const G& group, T* to, const U* from, size_t bytes) {
  redflag::copy(group, to, from, bytes);
}
template <typename G, typename T, typename U, size_t N>
REDFLAG_MEMBER inline void memcpy_async(const G& group, T* to, const U* from,
                                        const aligned_size_t<N>& bytes) {
  redflag::copy(group, to, from, bytes.bytes);
}
// Of numbers of elements, the smaller one.
template <typename G, typename T>
REDFLAG_MEMBER inline void memcpy_async(const G& group, T* to, size_t room, const T* from,
                                        size_t count) {
  redflag::copy(group, to, from, (room < count ? room : count) * sizeof(T));
}
template <unsigned Later, typename G>
REDFLAG_MEMBER inline void wait_prior(const G& group) {
  __pipeline_wait_prior(Later);
  group.sync();
}
template <typename G>
REDFLAG_MEMBER inline void wait(const G& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups
