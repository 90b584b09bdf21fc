// What clang's intrinsics leave to the toolkit from sm_70 on: __match over types, and a pause.
//
// Included by clang's header, inside of redflag/device.h.
#pragma once

#define REDFLAG_MATCH(T, bits, U)                                                                      \
  static inline __device__ unsigned int __match_any_sync(unsigned int mask, T value) {                 \
    U word = 0;                                                                                        \
    __builtin_memcpy(&word, &value, sizeof value);                                                     \
    return __match##bits##_any_sync(mask, word);                                                       \
  }                                                                                                    \
  static inline __device__ unsigned int __match_all_sync(unsigned int mask, T value, int* all) {       \
    U word = 0;                                                                                        \
    __builtin_memcpy(&word, &value, sizeof value);                                                     \
    return __match##bits##_all_sync(mask, word, all);                                                  \
  }
REDFLAG_MATCH(int, 32, unsigned int)
REDFLAG_MATCH(unsigned int, 32, unsigned int)
REDFLAG_MATCH(float, 32, unsigned int)
REDFLAG_MATCH(long, 64, unsigned long long)
REDFLAG_MATCH(unsigned long, 64, unsigned long long)
REDFLAG_MATCH(long long, 64, unsigned long long)
REDFLAG_MATCH(unsigned long long, 64, unsigned long long)
REDFLAG_MATCH(double, 64, unsigned long long)
#undef REDFLAG_MATCH

static inline __device__ void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }
