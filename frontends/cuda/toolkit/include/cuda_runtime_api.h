// CUDA's runtime API, as far as the emulated GPU's libcudart.so.13 supports it, for C and C++.
//
// These headers stand in for NVIDIA's where no CUDA toolkit is installed ('redflag nvcc' then
// compiles by clang). They follow the documented interface and its binary layout; the tests
// compare both with the toolkit's where one is installed. The emulated GPU does not support a
// function that is missing here.
#pragma once

#include "driver_types.h"
#include "redflag/attributes.h"

#define __CUDA_RUNTIME_API_H__
#define CUDART_VERSION 13000
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE __device__

#ifdef __cplusplus
#define REDFLAG_DEFAULT(...) = __VA_ARGS__
extern "C" {
#else
#define REDFLAG_DEFAULT(...)
#endif

#define REDFLAG_CUDA(name, ...) cudaError_t CUDARTAPI name __VA_ARGS__
// With a stream, or with the default one: programs compiled for a default stream per thread call
// another function.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define REDFLAG_CUDA_STREAM(name, suffix, ...) \
  cudaError_t CUDARTAPI name __VA_ARGS__ __asm__(#name #suffix)
#else
#define REDFLAG_CUDA_STREAM(name, suffix, ...) cudaError_t CUDARTAPI name __VA_ARGS__
#endif

#include "redflag/api_device.h"
// Kept apart: clang-format must not sort what belongs together.
#include "redflag/api_copy.h"
#include "redflag/api_graph.h"
#include "redflag/api_launch.h"
#include "redflag/api_memory.h"
#include "redflag/api_stream.h"
#include "redflag/api_texture.h"

#ifdef __cplusplus
}
#endif

#undef REDFLAG_CUDA
#undef REDFLAG_CUDA_STREAM
#undef REDFLAG_DEFAULT
