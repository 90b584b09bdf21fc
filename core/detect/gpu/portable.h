// For sources that the in-GPU detector compiles too: entries of metadata, rules, tables of locks.
//
// They use integers, plain structs and constexpr functions only: no containers, no memory, no
// virtual calls. Whoever includes them with nvcc or clang's CUDA mode gets every function for both
// sides.
#pragma once

#if defined(__CUDACC__)
#define REDFLAG_HD __host__ __device__
#define REDFLAG_HD_INLINE __host__ __device__ __forceinline__
#else
#define REDFLAG_HD
#define REDFLAG_HD_INLINE [[gnu::always_inline]] inline
#endif
