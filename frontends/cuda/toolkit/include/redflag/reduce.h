// One value of all lanes of a mask: redux of PTX, from sm_80 on.
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define REDFLAG_REDUCE(name, T, kind)                                         \
  static inline __device__ T __reduce_##name##_sync(unsigned mask, T value) { \
    T result;                                                                 \
    asm volatile("redux.sync." #name "." kind " %0, %1, %2;"                  \
                 : "=r"(result)                                               \
                 : "r"(value), "r"(mask)                                      \
                 : "memory");                                                 \
    return result;                                                            \
  }
REDFLAG_REDUCE(add, unsigned, "u32")
REDFLAG_REDUCE(add, int, "s32")
REDFLAG_REDUCE(min, unsigned, "u32")
REDFLAG_REDUCE(min, int, "s32")
REDFLAG_REDUCE(max, unsigned, "u32")
REDFLAG_REDUCE(max, int, "s32")
REDFLAG_REDUCE(and, unsigned, "b32")
REDFLAG_REDUCE(or, unsigned, "b32")
REDFLAG_REDUCE(xor, unsigned, "b32")
#undef REDFLAG_REDUCE
#endif
