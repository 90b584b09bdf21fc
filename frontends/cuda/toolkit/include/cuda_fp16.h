// __half: numbers of 16 bits with 11 bits of precision, and pairs of them, for host and device.
//
// A number is its 16 bits; all of its arithmetic is in redflag/small_float.inc. The functions of
// the host may be wrong by one unit where an fma is inexact twice.
#pragma once
#include <redflag/device.h>

struct __attribute__((aligned(2))) __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __half;
static inline __host__ __device__ float __redflag_half_to_float(__half a);
static inline __host__ __device__ __half __redflag_half_of_float(float a);

struct __attribute__((aligned(2))) __half {
  unsigned short __x;

#define REDFLAG_MEMBER __host__ __device__ __attribute__((nodebug, always_inline)) inline
  __half() = default;
  REDFLAG_MEMBER constexpr __half(const __half_raw& raw) : __x(raw.x) {}
  REDFLAG_MEMBER __half(float a);
  REDFLAG_MEMBER __half(double a);
  REDFLAG_MEMBER __half(int a) : __half((double)a) {}
  REDFLAG_MEMBER __half(unsigned a) : __half((double)a) {}
  REDFLAG_MEMBER __half(short a) : __half((double)a) {}
  REDFLAG_MEMBER __half(unsigned short a) : __half((double)a) {}
  REDFLAG_MEMBER __half(long a) : __half((double)a) {}
  REDFLAG_MEMBER __half(unsigned long a) : __half((double)a) {}
  REDFLAG_MEMBER __half(long long a) : __half((double)a) {}
  REDFLAG_MEMBER __half(unsigned long long a) : __half((double)a) {}
  REDFLAG_MEMBER static __half of_bits(unsigned bits) {
    __half r;
    r.__x = (unsigned short)bits;
    return r;
  }
  REDFLAG_MEMBER bool none() const { return (__x & 0x7fff) > 0x7c00; }
  REDFLAG_MEMBER operator float() const { return __redflag_half_to_float(*this); }
  REDFLAG_MEMBER operator __half_raw() const { return {__x}; }
  REDFLAG_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }
  REDFLAG_MEMBER explicit operator int() const { return (int)__redflag_half_to_float(*this); }
  REDFLAG_MEMBER explicit operator unsigned() const {
    return (unsigned)__redflag_half_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator short() const { return (short)__redflag_half_to_float(*this); }
  REDFLAG_MEMBER explicit operator unsigned short() const {
    return (unsigned short)__redflag_half_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator long long() const {
    return (long long)__redflag_half_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator unsigned long long() const {
    return (unsigned long long)__redflag_half_to_float(*this);
  }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  REDFLAG_MEMBER constexpr __half2(const __half& a, const __half& b) : x(a), y(b) {}
  REDFLAG_MEMBER __half2(const __half2_raw& raw)
      : x(__half::of_bits(raw.x)), y(__half::of_bits(raw.y)) {}
  REDFLAG_MEMBER operator __half2_raw() const { return {x.__x, y.__x}; }
};
static_assert(sizeof(__half) == 2 && alignof(__half) == 2 && sizeof(__half2) == 4 &&
              alignof(__half2) == 4);
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#define REDFLAG_INNER \
  static inline __host__ __device__ __attribute__((nodebug, always_inline, unused))
REDFLAG_INNER float __redflag_half_to_float(__half a) {
  return (float)__builtin_bit_cast(_Float16, a.__x);
}
REDFLAG_INNER __half __redflag_half_of_float(float a) {
  return __half::of_bits(__builtin_bit_cast(unsigned short, (_Float16)a));
}
REDFLAG_INNER __half __redflag_half_of_fma(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
  return __half::of_bits(__builtin_bit_cast(
      unsigned short,
      __builtin_fmaf16(__builtin_bit_cast(_Float16, a.__x), __builtin_bit_cast(_Float16, b.__x),
                       __builtin_bit_cast(_Float16, c.__x))));
#else
  // The product is exact, and the sum nearly always.
  const double r =
      (double)__redflag_half_to_float(a) * __redflag_half_to_float(b) + __redflag_half_to_float(c);
  return __half::of_bits(__builtin_bit_cast(unsigned short, (_Float16)r));
#endif
}
#undef REDFLAG_INNER

#define H __half
#define H2 __half2
#define N half
#define N2 half2
#define SPREAD __half2half2
#define to_float __redflag_half_to_float
#define of_float __redflag_half_of_float
#define of_fma __redflag_half_of_fma
#include <redflag/small_float.inc>
#undef H
#undef H2
#undef N
#undef N2
#undef SPREAD
#undef to_float
#undef of_float
#undef of_fma

REDFLAG_MEMBER __half::__half(float a) : __x(__redflag_half_of_float(a).__x) {}
REDFLAG_MEMBER __half::__half(double a) : __x(__double2half(a).__x) {}
static inline __host__ __device__ __half2 make_half2(__half a, __half b) {
  return __half2(a, b);
}

#define REDFLAG_ATOMIC(scope, modifier)                                                         \
  static inline __device__                                                                      \
      __attribute__((nodebug, always_inline)) __half atomicAdd##scope(__half* p, __half v) {    \
    unsigned short old;                                                                         \
    asm volatile("atom" modifier ".add.noftz.f16 %0, [%1], %2;"                                 \
                 : "=h"(old)                                                                    \
                 : "l"(p), "h"(v.__x)                                                           \
                 : "memory");                                                                   \
    return __half::of_bits(old);                                                                \
  }                                                                                             \
  static inline __device__                                                                      \
      __attribute__((nodebug, always_inline)) __half2 atomicAdd##scope(__half2* p, __half2 v) { \
    unsigned old;                                                                               \
    asm volatile("atom" modifier ".add.noftz.f16x2 %0, [%1], %2;"                               \
                 : "=r"(old)                                                                    \
                 : "l"(p), "r"(__builtin_bit_cast(unsigned, v))                                 \
                 : "memory");                                                                   \
    return __builtin_bit_cast(__half2, old);                                                    \
  }
REDFLAG_ATOMIC(, "")
REDFLAG_ATOMIC(_block, ".cta")
REDFLAG_ATOMIC(_system, ".sys")
#undef REDFLAG_ATOMIC
#undef REDFLAG_MEMBER
