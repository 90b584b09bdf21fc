// For sources that the in-GPU detector compiles too: entries of metadata, rules, tables of locks.
//
// They use integers, plain structs and constexpr functions only: no containers, no memory, no
// virtual calls. Whoever includes them with nvcc or clang's CUDA mode (also without a toolkit's
// headers, which define __CUDACC__) gets every function for both sides.
#pragma once

#if defined(__CUDACC__)
#define REDFLAG_HD __host__ __device__
#define REDFLAG_HD_INLINE __host__ __device__ __forceinline__
#elif defined(__CUDA__)
#define REDFLAG_HD __attribute__((host, device))
#define REDFLAG_HD_INLINE __attribute__((host, device, always_inline)) inline
#else
#define REDFLAG_HD
#define REDFLAG_HD_INLINE [[gnu::always_inline]] inline
#endif
