// __nv_bfloat16: numbers of 16 bits with the exponents of float, and pairs of them, for host and
// device.
//
// A number is its 16 bits; all of its arithmetic is in redflag/small_float.inc. atomicAdd is a
// loop of compare-and-swaps, which every GPU has. The first one expects 0: it reads the value, and
// stores the sum only if the value was 0.
#pragma once
#include <redflag/device.h>

struct __attribute__((aligned(2))) __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __nv_bfloat16;
static inline __host__ __device__ float __redflag_bfloat16_to_float(__nv_bfloat16 a);
static inline __host__ __device__ __nv_bfloat16 __redflag_bfloat16_of_float(float a);

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;

#define REDFLAG_MEMBER __host__ __device__ __attribute__((nodebug, always_inline)) inline
  __nv_bfloat16() = default;
  REDFLAG_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  REDFLAG_MEMBER __nv_bfloat16(float a);
  REDFLAG_MEMBER __nv_bfloat16(double a);
  REDFLAG_MEMBER __nv_bfloat16(int a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(unsigned a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(short a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(unsigned short a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(long a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(unsigned long a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(long long a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER __nv_bfloat16(unsigned long long a) : __nv_bfloat16((double)a) {}
  REDFLAG_MEMBER static __nv_bfloat16 of_bits(unsigned bits) {
    __nv_bfloat16 r;
    r.__x = (unsigned short)bits;
    return r;
  }
  REDFLAG_MEMBER bool none() const { return (__x & 0x7fff) > 0x7f80; }
  REDFLAG_MEMBER operator float() const { return __redflag_bfloat16_to_float(*this); }
  REDFLAG_MEMBER operator __nv_bfloat16_raw() const { return {__x}; }
  REDFLAG_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }
  REDFLAG_MEMBER explicit operator int() const { return (int)__redflag_bfloat16_to_float(*this); }
  REDFLAG_MEMBER explicit operator unsigned() const {
    return (unsigned)__redflag_bfloat16_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator short() const {
    return (short)__redflag_bfloat16_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator unsigned short() const {
    return (unsigned short)__redflag_bfloat16_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator long long() const {
    return (long long)__redflag_bfloat16_to_float(*this);
  }
  REDFLAG_MEMBER explicit operator unsigned long long() const {
    return (unsigned long long)__redflag_bfloat16_to_float(*this);
  }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  REDFLAG_MEMBER constexpr __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b)
      : x(a), y(b) {}
  REDFLAG_MEMBER __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16::of_bits(raw.x)), y(__nv_bfloat16::of_bits(raw.y)) {}
  REDFLAG_MEMBER operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};
static_assert(sizeof(__nv_bfloat16) == 2 && alignof(__nv_bfloat16) == 2 &&
              sizeof(__nv_bfloat162) == 4 && alignof(__nv_bfloat162) == 4);
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define REDFLAG_INNER \
  static inline __host__ __device__ __attribute__((nodebug, always_inline, unused))
REDFLAG_INNER float __redflag_bfloat16_to_float(__nv_bfloat16 a) {
  return __builtin_bit_cast(float, (unsigned)a.__x << 16);
}
REDFLAG_INNER __nv_bfloat16 __redflag_bfloat16_of_float(float a) {
  const unsigned bits = __builtin_bit_cast(unsigned, a);
  if (a != a) return __nv_bfloat16::of_bits(0x7fff);
  return __nv_bfloat16::of_bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static inline __host__ __device__ __nv_bfloat16 __double2bfloat16(double a);
REDFLAG_INNER __nv_bfloat16 __redflag_bfloat16_of_fma(__nv_bfloat16 a, __nv_bfloat16 b,
                                                      __nv_bfloat16 c) {
  // The product is exact, and the sum nearly always.
  return __double2bfloat16((double)__redflag_bfloat16_to_float(a) * __redflag_bfloat16_to_float(b) +
                           __redflag_bfloat16_to_float(c));
}
#undef REDFLAG_INNER

#define H __nv_bfloat16
#define H2 __nv_bfloat162
#define N bfloat16
#define N2 bfloat162
#define SPREAD __bfloat162bfloat162
#define to_float __redflag_bfloat16_to_float
#define of_float __redflag_bfloat16_of_float
#define of_fma __redflag_bfloat16_of_fma
#include <redflag/small_float.inc>
#undef H
#undef H2
#undef N
#undef N2
#undef SPREAD
#undef to_float
#undef of_float
#undef of_fma

REDFLAG_MEMBER __nv_bfloat16::__nv_bfloat16(float a) : __x(__redflag_bfloat16_of_float(a).__x) {}
REDFLAG_MEMBER __nv_bfloat16::__nv_bfloat16(double a) : __x(__double2bfloat16(a).__x) {}
static inline __host__ __device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}

#define REDFLAG_ATOMIC(scope, modifier)                                                            \
  static inline __device__ __attribute__((nodebug, always_inline)) __nv_bfloat16 atomicAdd##scope( \
      __nv_bfloat16* p, __nv_bfloat16 v) {                                                         \
    unsigned* const word = (unsigned*)((size_t)p & ~(size_t)3);                                    \
    const int shift = (int)((size_t)p & 2) * 8;                                                    \
    unsigned old = 0, seen;                                                                        \
    do {                                                                                           \
      seen = old;                                                                                  \
      const __nv_bfloat16 sum = __hadd(__nv_bfloat16::of_bits(seen >> shift), v);                  \
      old =                                                                                        \
          atomicCAS##scope(word, seen, (seen & ~(0xffffu << shift)) | (unsigned)sum.__x << shift); \
    } while (old != seen);                                                                         \
    return __nv_bfloat16::of_bits(old >> shift);                                                   \
  }                                                                                                \
  static inline __device__                                                                         \
      __attribute__((nodebug, always_inline)) __nv_bfloat162 atomicAdd##scope(__nv_bfloat162* p,   \
                                                                              __nv_bfloat162 v) {  \
    unsigned old = 0, seen;                                                                        \
    do {                                                                                           \
      seen = old;                                                                                  \
      const __nv_bfloat162 sum = __hadd2(__builtin_bit_cast(__nv_bfloat162, seen), v);             \
      old = atomicCAS##scope((unsigned*)p, seen, __builtin_bit_cast(unsigned, sum));               \
    } while (old != seen);                                                                         \
    return __builtin_bit_cast(__nv_bfloat162, old);                                                \
  }
REDFLAG_ATOMIC(, "")
REDFLAG_ATOMIC(_block, ".cta")
REDFLAG_ATOMIC(_system, ".sys")
#undef REDFLAG_ATOMIC
#undef REDFLAG_MEMBER
