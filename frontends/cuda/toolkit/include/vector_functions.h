// make_char1() to make_double4(): short vectors from their elements, on the host and on the device.
#pragma once
#include <vector_types.h>

#ifdef __cplusplus
#define REDFLAG_MAKE \
  static inline __host__ __device__ __attribute__((nodebug, always_inline, unused))
#else
#define REDFLAG_MAKE static inline __attribute__((always_inline, unused))
#endif
#if defined(__cplusplus) && !defined(__clang__)
#undef REDFLAG_MAKE
#define REDFLAG_MAKE static inline __attribute__((always_inline, unused))
#endif

#define REDFLAG_MAKE_VECTORS(T, name)                       \
  REDFLAG_MAKE name##1 make_##name##1(T x) {                \
    name##1 v = {x};                                        \
    return v;                                               \
  }                                                         \
  REDFLAG_MAKE name##2 make_##name##2(T x, T y) {           \
    name##2 v = {x, y};                                     \
    return v;                                               \
  }                                                         \
  REDFLAG_MAKE name##3 make_##name##3(T x, T y, T z) {      \
    name##3 v = {x, y, z};                                  \
    return v;                                               \
  }                                                         \
  REDFLAG_MAKE name##4 make_##name##4(T x, T y, T z, T w) { \
    name##4 v = {x, y, z, w};                               \
    return v;                                               \
  }
REDFLAG_MAKE_VECTORS(signed char, char)
REDFLAG_MAKE_VECTORS(unsigned char, uchar)
REDFLAG_MAKE_VECTORS(short, short)
REDFLAG_MAKE_VECTORS(unsigned short, ushort)
REDFLAG_MAKE_VECTORS(int, int)
REDFLAG_MAKE_VECTORS(unsigned int, uint)
REDFLAG_MAKE_VECTORS(long, long)
REDFLAG_MAKE_VECTORS(unsigned long, ulong)
REDFLAG_MAKE_VECTORS(float, float)
REDFLAG_MAKE_VECTORS(long long, longlong)
REDFLAG_MAKE_VECTORS(unsigned long long, ulonglong)
REDFLAG_MAKE_VECTORS(double, double)
#undef REDFLAG_MAKE_VECTORS
#define REDFLAG_MAKE_VECTOR4(T, name)                               \
  REDFLAG_MAKE name##4_16a make_##name##4_16a(T x, T y, T z, T w) { \
    name##4_16a v = {x, y, z, w};                                   \
    return v;                                                       \
  }                                                                 \
  REDFLAG_MAKE name##4_32a make_##name##4_32a(T x, T y, T z, T w) { \
    name##4_32a v = {x, y, z, w};                                   \
    return v;                                                       \
  }
REDFLAG_MAKE_VECTOR4(long, long)
REDFLAG_MAKE_VECTOR4(unsigned long, ulong)
REDFLAG_MAKE_VECTOR4(long long, longlong)
REDFLAG_MAKE_VECTOR4(unsigned long long, ulonglong)
REDFLAG_MAKE_VECTOR4(double, double)
#undef REDFLAG_MAKE_VECTOR4
#undef REDFLAG_MAKE
