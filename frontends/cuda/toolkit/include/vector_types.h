// The short vectors of CUDA: charN to doubleN with N from 1 to 4, and dim3. C reads this file too.
//
// Vectors of 2 and 4 are aligned as one load takes them, up to 16 bytes; vectors of 1 and 3 as
// their elements. The names with _16a and _32a say the alignment of 32-byte vectors; without it
// they are aligned to 16.
#pragma once
#include <redflag/attributes.h>

#define REDFLAG_VECTORS(T, name, two, four)       \
  struct name##1 {                                \
    T x;                                          \
  };                                              \
  struct __attribute__((aligned(two))) name##2 {  \
    T x, y;                                       \
  };                                              \
  struct name##3 {                                \
    T x, y, z;                                    \
  };                                              \
  struct __attribute__((aligned(four))) name##4 { \
    T x, y, z, w;                                 \
  };                                              \
  typedef struct name##1 name##1;                 \
  typedef struct name##2 name##2;                 \
  typedef struct name##3 name##3;                 \
  typedef struct name##4 name##4

REDFLAG_VECTORS(signed char, char, 2, 4);
REDFLAG_VECTORS(unsigned char, uchar, 2, 4);
REDFLAG_VECTORS(short, short, 4, 8);
REDFLAG_VECTORS(unsigned short, ushort, 4, 8);
REDFLAG_VECTORS(int, int, 8, 16);
REDFLAG_VECTORS(unsigned int, uint, 8, 16);
REDFLAG_VECTORS(long, long, 16, 16);
REDFLAG_VECTORS(unsigned long, ulong, 16, 16);
REDFLAG_VECTORS(float, float, 8, 16);
REDFLAG_VECTORS(long long, longlong, 16, 16);
REDFLAG_VECTORS(unsigned long long, ulonglong, 16, 16);
REDFLAG_VECTORS(double, double, 16, 16);
#undef REDFLAG_VECTORS

#define REDFLAG_VECTOR4(T, name)                    \
  struct __attribute__((aligned(16))) name##4_16a { \
    T x, y, z, w;                                   \
  };                                                \
  struct __attribute__((aligned(32))) name##4_32a { \
    T x, y, z, w;                                   \
  };                                                \
  typedef struct name##4_16a name##4_16a;           \
  typedef struct name##4_32a name##4_32a
REDFLAG_VECTOR4(long, long);
REDFLAG_VECTOR4(unsigned long, ulong);
REDFLAG_VECTOR4(long long, longlong);
REDFLAG_VECTOR4(unsigned long long, ulonglong);
REDFLAG_VECTOR4(double, double);
#undef REDFLAG_VECTOR4

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#ifdef __cplusplus
#define REDFLAG_SIZES(name, one, two, four)                                                        \
  static_assert(sizeof(name##1) == one && alignof(name##1) == one && sizeof(name##2) == 2 * one && \
                alignof(name##2) == two);                                                          \
  static_assert(sizeof(name##3) == 3 * one && alignof(name##3) == one &&                           \
                sizeof(name##4) == 4 * one && alignof(name##4) == four)
REDFLAG_SIZES(char, 1, 2, 4);
REDFLAG_SIZES(uchar, 1, 2, 4);
REDFLAG_SIZES(short, 2, 4, 8);
REDFLAG_SIZES(ushort, 2, 4, 8);
REDFLAG_SIZES(int, 4, 8, 16);
REDFLAG_SIZES(uint, 4, 8, 16);
REDFLAG_SIZES(long, 8, 16, 16);
REDFLAG_SIZES(ulong, 8, 16, 16);
REDFLAG_SIZES(float, 4, 8, 16);
REDFLAG_SIZES(longlong, 8, 16, 16);
REDFLAG_SIZES(ulonglong, 8, 16, 16);
REDFLAG_SIZES(double, 8, 16, 16);
#undef REDFLAG_SIZES
static_assert(sizeof(dim3) == 12 && alignof(dim3) == 4);
#endif
