// Asynchronous copies from global to shared memory: cp.async of PTX.
//
// Limits: sm_80 and later; for earlier targets the copy is made at once, as CUDA does. The C++
// classes of <cuda/pipeline> are missing.
#pragma once
#include <redflag/device.h>

#define REDFLAG_DEVICE static inline __device__ __attribute__((nodebug, always_inline, unused))

// Of `size` bytes (4, 8 or 16) the last `zeros` are not read but set to 0.
REDFLAG_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t size,
                                            size_t zeros = 0) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const unsigned shared = (unsigned)__cvta_generic_to_shared(to), bytes = (unsigned)(size - zeros);
  const size_t global = __cvta_generic_to_global(from);
  if (size == 16) {
    if (zeros == 0)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global)
                   : "memory");
    else
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                   "r"(bytes)
                   : "memory");
  } else if (size == 8) {
    if (zeros == 0)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(global)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global),
                   "r"(bytes)
                   : "memory");
  } else {
    if (zeros == 0)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(global)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global),
                   "r"(bytes)
                   : "memory");
  }
#else
  for (size_t i = 0; i < size; i++) ((char*)to)[i] = i < size - zeros ? ((const char*)from)[i] : 0;
#endif
}
REDFLAG_DEVICE void __pipeline_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until at most `later` of the committed groups are pending. The number is part of
// the instruction.
REDFLAG_DEVICE void __pipeline_wait_prior(size_t later) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  switch (later) {
    case 0:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      break;
    case 1:
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      break;
    case 2:
      asm volatile("cp.async.wait_group 2;" ::: "memory");
      break;
    case 3:
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      break;
    case 4:
      asm volatile("cp.async.wait_group 4;" ::: "memory");
      break;
    case 5:
      asm volatile("cp.async.wait_group 5;" ::: "memory");
      break;
    case 6:
      asm volatile("cp.async.wait_group 6;" ::: "memory");
      break;
    case 7:
      asm volatile("cp.async.wait_group 7;" ::: "memory");
      break;
    default:
      asm volatile("cp.async.wait_group 8;" ::: "memory");
      break;
  }
#endif
}
// Arrives at the barrier in shared memory when this thread's copies so far have completed.
REDFLAG_DEVICE void __pipeline_arrive_on(unsigned long long* barrier) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier))
      : "memory");
#endif
}
#undef REDFLAG_DEVICE
