// The words that CUDA adds to C++, as clang's attributes. Host compilers read this file too, for
// the API headers: for them the keywords for device memory and device functions are empty.
//
// Limits: __noinline__ is no macro, because clang knows the word in CUDA and the C++ library writes
// __attribute__((__noinline__)). clang 19 has no managed variables and no cluster dimensions of
// CUDA: a program that uses one is refused with a message that names the remedy.
#pragma once

#if defined(__CUDA__) && defined(__clang__)
#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__                                                                              \
  __attribute__((device)) __attribute__((                                                        \
      unavailable("needed: memory of cudaMallocManaged, or nvcc of CUDA 13's toolkit; found: a " \
                  "__managed__ variable, which clang does not support")))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __block_size__(...)
#define __cluster_dims__(...)                                                          \
  __attribute__((                                                                      \
      unavailable("needed: a cluster size set in cudaLaunchKernelEx, or nvcc of CUDA " \
                  "13's toolkit; found: __cluster_dims__, which clang does not support")))
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDA_ARCH_HAS_FEATURE__(feature) 0
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __device_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#endif

#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
#define __no_return__ __attribute__((noreturn))
#define __location__(word) __attribute__((word))
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __thread__ __thread
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#ifndef CUDA_CB
#define CUDA_CB
#endif
#ifndef __dv
#ifdef __cplusplus
#define __dv(value) = value
#else
#define __dv(value)
#endif
#endif
