// The functions that device code may call. This file includes the parts in the order of their
// dependencies.
//
// clang's own headers implement CUDA's intrinsics by builtins; the headers beside this file have
// what clang leaves to the toolkit. All functions are inlined and have no lines of their own
// (nodebug), so an access inside of them (an atomicAdd, for example) has the line of its caller.
// Both passes of clang read all of it: code for the device is only declared where code for the host
// is made, and __CUDA_ARCH__ is undefined there.
//
// Limits: sm_75 and later. Math functions are those of libdevice.bc.
#pragma once

#if defined(__CUDA__) && defined(__clang__)

// Before any header of the C++ library, whose constexpr functions would be the device's too and
// whose new calls malloc. clang-format off
#include <__clang_cuda_math_forward_declares.h>
#include <redflag/system_calls.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
// clang-format on

#include <vector_functions.h>
#include <vector_types.h>

#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 12050

#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>

// clang-format off
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <redflag/address_space.h>
#include <redflag/atomics.h>
#include <redflag/math.h>
#include <redflag/host_math.h>
#include <__clang_cuda_cmath.h>
#include <redflag/overloads.h>
// clang 19 hands mask and value of these to the instruction in the wrong order; ours follow.
#define __reduce_add_sync __redflag_swapped_add_sync
#define __reduce_min_sync __redflag_swapped_min_sync
#define __reduce_max_sync __redflag_swapped_max_sync
#define __reduce_and_sync __redflag_swapped_and_sync
#define __reduce_or_sync __redflag_swapped_or_sync
#define __reduce_xor_sync __redflag_swapped_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include <redflag/reduce.h>
#include <redflag/cached_access.h>
#include <__clang_cuda_complex_builtins.h>
#include <redflag/textures.h>
#include <redflag/surfaces.h>
// clang-format on

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const {
  return uint3{x, y, z};
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const {
  return uint3{x, y, z};
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const {
  return uint3{x, y, z};
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const {
  return uint3{x, y, z};
}
#pragma clang attribute pop
#pragma clang attribute pop
#pragma pop_macro("CUDA_VERSION")

#endif
