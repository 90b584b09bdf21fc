// Integer functions of CUDA that clang's headers lack, and min and max of mixed types.
#pragma once

#define REDFLAG_DEVICE static inline __device__

// Of all pairs of types; the device's min and max of two ints are clang's.
#define REDFLAG_MIN_MAX(where, R, A, B) \
  static inline where R min(A a, B b) { \
    return (R)a < (R)b ? (R)a : (R)b;   \
  }                                     \
  static inline where R max(A a, B b) { \
    return (R)a > (R)b ? (R)a : (R)b;   \
  }
#define REDFLAG_MIN_MAX_INTEGERS(where)                                              \
  REDFLAG_MIN_MAX(where, unsigned int, unsigned int, unsigned int)                   \
  REDFLAG_MIN_MAX(where, unsigned int, int, unsigned int)                            \
  REDFLAG_MIN_MAX(where, unsigned int, unsigned int, int)                            \
  REDFLAG_MIN_MAX(where, long, long, long)                                           \
  REDFLAG_MIN_MAX(where, unsigned long, unsigned long, unsigned long)                \
  REDFLAG_MIN_MAX(where, unsigned long, long, unsigned long)                         \
  REDFLAG_MIN_MAX(where, unsigned long, unsigned long, long)                         \
  REDFLAG_MIN_MAX(where, long long, long long, long long)                            \
  REDFLAG_MIN_MAX(where, unsigned long long, unsigned long long, unsigned long long) \
  REDFLAG_MIN_MAX(where, unsigned long long, long long, unsigned long long)          \
  REDFLAG_MIN_MAX(where, unsigned long long, unsigned long long, long long)
REDFLAG_MIN_MAX_INTEGERS(__device__)
REDFLAG_MIN_MAX_INTEGERS(__host__)
REDFLAG_MIN_MAX(__host__, int, int, int)
#undef REDFLAG_MIN_MAX_INTEGERS
#undef REDFLAG_MIN_MAX
// Of two floats or doubles, a number wins over a NaN.
#define REDFLAG_MIN_MAX(where, R, A, B, suffix) \
  static inline where R min(A a, B b) {         \
    return __builtin_fmin##suffix((R)a, (R)b);  \
  }                                             \
  static inline where R max(A a, B b) {         \
    return __builtin_fmax##suffix((R)a, (R)b);  \
  }
#define REDFLAG_MIN_MAX_REALS(where)               \
  REDFLAG_MIN_MAX(where, float, float, float, f)   \
  REDFLAG_MIN_MAX(where, double, double, double, ) \
  REDFLAG_MIN_MAX(where, double, float, double, )  \
  REDFLAG_MIN_MAX(where, double, double, float, )
REDFLAG_MIN_MAX_REALS(__device__)
REDFLAG_MIN_MAX_REALS(__host__)
#undef REDFLAG_MIN_MAX_REALS
#undef REDFLAG_MIN_MAX

#define REDFLAG_DOT4(T, U, kinds)                                        \
  REDFLAG_DEVICE T __dp4a(U a, U b, T c) {                               \
    T result;                                                            \
    asm("dp4a" kinds " %0, %1, %2, %3;"                                  \
        : "=r"(result)                                                   \
        : "r"(*(const unsigned*)&a), "r"(*(const unsigned*)&b), "r"(c)); \
    return result;                                                       \
  }
REDFLAG_DOT4(int, int, ".s32.s32")
REDFLAG_DOT4(unsigned int, unsigned int, ".u32.u32")
REDFLAG_DOT4(int, char4, ".s32.s32")
REDFLAG_DOT4(unsigned int, uchar4, ".u32.u32")
#undef REDFLAG_DOT4

#define REDFLAG_DOT2(T, half, name, kinds)                                               \
  REDFLAG_DEVICE T __dp2a_##name(int a, int b, T c) {                                    \
    T result;                                                                            \
    asm("dp2a." #name kinds " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
    return result;                                                                       \
  }
REDFLAG_DOT2(int, 0, lo, ".s32.s32")
REDFLAG_DOT2(int, 0, hi, ".s32.s32")
#undef REDFLAG_DOT2
#define REDFLAG_DOT2(name)                                                                    \
  REDFLAG_DEVICE unsigned int __dp2a_##name(unsigned int a, unsigned int b, unsigned int c) { \
    unsigned int result;                                                                      \
    asm("dp2a." #name ".u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));    \
    return result;                                                                            \
  }
REDFLAG_DOT2(lo)
REDFLAG_DOT2(hi)
#undef REDFLAG_DOT2
#undef REDFLAG_DEVICE
