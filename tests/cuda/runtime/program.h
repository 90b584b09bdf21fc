/* A CUDA program without nvcc: registers kernels.ptx as a fat binary, as nvcc's host code does, before main. */
#ifndef REDFLAG_TESTS_CUDA_RUNTIME_PROGRAM_H
#define REDFLAG_TESTS_CUDA_RUNTIME_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

/* .nv_fatbin with one container, one entry: the PTX, not compressed. KERNELS is the file, PTX_KIND 1. */
#ifndef PTX_KIND
#define PTX_KIND 1
#endif
__asm__(
    ".section .nv_fatbin, \"a\"\n"
    ".p2align 3\n"
    "fatbin_data:\n"
    ".long 0xba55ed50\n .short 1\n .short 16\n .quad fatbin_end - fatbin_entry\n"
    "fatbin_entry:\n"
    ".short " PTX_KIND_TEXT
    "\n .short 0x101\n .long 64\n .quad fatbin_end - fatbin_ptx\n"
    ".long 0\n .long 0\n .long 0\n .long 80\n .quad 0\n .quad 0x11\n .quad 0\n .quad 0\n"
    "fatbin_ptx:\n"
    ".incbin \"" KERNELS
    "\"\n"
    ".byte 0\n"
    ".p2align 3\n"
    "fatbin_end:\n"
    ".text\n");
extern const char fatbin_data[];

static struct {
  unsigned magic, version;
  const void* data;
  void* unused;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, fatbin_data, 0};

static void** handle;

/* Host functions stand for kernels by their addresses, variables by those of their shadows. */
static char scale, collide, count, forever, collide_forever;
static int counter, factor;
static int* shared_count;

static void unregister(void) {
  __cudaUnregisterFatBinary(handle);
}

__attribute__((constructor)) static void register_all(void) {
  handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &scale, &scale, "scale", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(handle, &collide, &collide, "collide", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(handle, &count, &count, "count", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(handle, &forever, &forever, "forever", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFunction(handle, &collide_forever, &collide_forever, "collide_forever", -1, 0, 0, 0,
                         0, 0);
  __cudaRegisterVar(handle, (char*)&counter, (char*)&counter, "counter", 0, 4, 0, 0);
  __cudaRegisterVar(handle, (char*)&factor, (char*)&factor, "factor", 0, 4, 1, 0);
  __cudaRegisterManagedVar(handle, (void**)&shared_count, (char*)&shared_count, "shared_count", 0,
                           4, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  atexit(unregister);
}

#define EXPECT(a, b)                                                                       \
  do {                                                                                     \
    const long long left_ = (long long)(a), right_ = (long long)(b);                       \
    if (left_ != right_) {                                                                 \
      fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #a, left_, \
              right_);                                                                     \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)
#define OK(call) EXPECT(call, 0)

/* kernel<<<blocks, threads, 0, stream>>>(...), as nvcc writes it. */
static cudaError_t launch(const void* kernel, unsigned blocks, unsigned threads,
                          cudaStream_t stream, void** args) {
  const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
  dim3 g, b;
  size_t shared;
  cudaStream_t s;
  cudaKernel_t k;
  if (__cudaPushCallConfiguration(grid, block, 0, stream) != 0) return 999;
  if (__cudaGetKernel(&k, kernel) != 0) return 98;
  if (__cudaPopCallConfiguration(&g, &b, &shared, &s) != 0) return 52;
  return __cudaLaunchKernel(k, g, b, args, shared, s);
}

__attribute__((unused)) static cudaError_t scale_in(cudaStream_t stream, int* p, unsigned n) {
  void* args[] = {&p, &n};
  return launch(&scale, (n + 63) / 64, 64, stream, args);
}

#endif
