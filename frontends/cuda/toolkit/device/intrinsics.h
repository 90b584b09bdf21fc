// The functions of libdevice that are one instruction each: arithmetic and conversions by rounding,
// integers, bits, and the fast approximations.
//
// Names end in the rounding (_rn to nearest, _rz to zero, _rd down, _ru up), which PTX calls rn,
// rz, rm and rp. The host, whose tests compile the rest of the library, has none of these.
#pragma once
#include "real.h"

#define FUNCTION extern "C" __attribute__((always_inline, const))

#define ONE(R, name, T, expression) \
  FUNCTION R __nv_##name(T a) {     \
    return expression;              \
  }
#define TWO(R, name, T, expression)  \
  FUNCTION R __nv_##name(T a, T b) { \
    return expression;               \
  }
#define THREE(R, name, T, expression)     \
  FUNCTION R __nv_##name(T a, T b, T c) { \
    return expression;                    \
  }

#define ROUNDED(round, m)                                             \
  TWO(double, dadd_##round, double, __nvvm_add_##m##_d(a, b))         \
  TWO(double, dsub_##round, double, __nvvm_add_##m##_d(a, -b))        \
  TWO(double, dmul_##round, double, __nvvm_mul_##m##_d(a, b))         \
  TWO(double, ddiv_##round, double, __nvvm_div_##m##_d(a, b))         \
  ONE(double, drcp_##round, double, __nvvm_rcp_##m##_d(a))            \
  ONE(double, dsqrt_##round, double, __nvvm_sqrt_##m##_d(a))          \
  THREE(double, fma_##round, double, __nvvm_fma_##m##_d(a, b, c))     \
  TWO(float, fadd_##round, float, __nvvm_add_##m##_f(a, b))           \
  TWO(float, fsub_##round, float, __nvvm_add_##m##_f(a, -b))          \
  TWO(float, fmul_##round, float, __nvvm_mul_##m##_f(a, b))           \
  TWO(float, fdiv_##round, float, __nvvm_div_##m##_f(a, b))           \
  ONE(float, frcp_##round, float, __nvvm_rcp_##m##_f(a))              \
  ONE(float, fsqrt_##round, float, __nvvm_sqrt_##m##_f(a))            \
  THREE(float, fmaf_##round, float, __nvvm_fma_##m##_f(a, b, c))      \
  THREE(float, fmaf_ieee_##round, float, __nvvm_fma_##m##_f(a, b, c)) \
  ONE(float, double2float_##round, double, __nvvm_d2f_##m(a))
ROUNDED(rn, rn)
ROUNDED(rz, rz)
ROUNDED(rd, rm)
ROUNDED(ru, rp)
#undef ROUNDED
#define CONVERTED(round, m)                                                \
  ONE(int, double2int_##round, double, __nvvm_d2i_##m(a))                  \
  ONE(unsigned, double2uint_##round, double, __nvvm_d2ui_##m(a))           \
  ONE(long long, double2ll_##round, double, __nvvm_d2ll_##m(a))            \
  ONE(unsigned long long, double2ull_##round, double, __nvvm_d2ull_##m(a)) \
  ONE(int, float2int_##round, float, __nvvm_f2i_##m(a))                    \
  ONE(unsigned, float2uint_##round, float, __nvvm_f2ui_##m(a))             \
  ONE(long long, float2ll_##round, float, __nvvm_f2ll_##m(a))              \
  ONE(unsigned long long, float2ull_##round, float, __nvvm_f2ull_##m(a))   \
  ONE(float, int2float_##round, int, __nvvm_i2f_##m(a))                    \
  ONE(float, uint2float_##round, unsigned, __nvvm_ui2f_##m(a))             \
  ONE(float, ll2float_##round, long long, __nvvm_ll2f_##m(a))              \
  ONE(float, ull2float_##round, unsigned long long, __nvvm_ull2f_##m(a))   \
  ONE(double, ll2double_##round, long long, __nvvm_ll2d_##m(a))            \
  ONE(double, ull2double_##round, unsigned long long, __nvvm_ull2d_##m(a))
CONVERTED(rn, rn)
CONVERTED(rd, rm)
CONVERTED(ru, rp)
#undef CONVERTED
// Towards zero the compiler would make these C's conversions, which round to nearest, or know no
// result where PTX has one.
#define TO_ZERO(R, name, T, instruction, to, from)     \
  FUNCTION R __nv_##name(T a) {                        \
    R r;                                               \
    asm(instruction " %0, %1;" : "=" to(r) : from(a)); \
    return r;                                          \
  }
TO_ZERO(float, int2float_rz, int, "cvt.rz.f32.s32", "f", "r")
TO_ZERO(float, uint2float_rz, unsigned, "cvt.rz.f32.u32", "f", "r")
TO_ZERO(float, ll2float_rz, long long, "cvt.rz.f32.s64", "f", "l")
TO_ZERO(float, ull2float_rz, unsigned long long, "cvt.rz.f32.u64", "f", "l")
TO_ZERO(double, ll2double_rz, long long, "cvt.rz.f64.s64", "d", "l")
TO_ZERO(double, ull2double_rz, unsigned long long, "cvt.rz.f64.u64", "d", "l")
TO_ZERO(int, double2int_rz, double, "cvt.rzi.s32.f64", "r", "d")
TO_ZERO(unsigned, double2uint_rz, double, "cvt.rzi.u32.f64", "r", "d")
TO_ZERO(long long, double2ll_rz, double, "cvt.rzi.s64.f64", "l", "d")
TO_ZERO(unsigned long long, double2ull_rz, double, "cvt.rzi.u64.f64", "l", "d")
TO_ZERO(int, float2int_rz, float, "cvt.rzi.s32.f32", "r", "f")
TO_ZERO(unsigned, float2uint_rz, float, "cvt.rzi.u32.f32", "r", "f")
TO_ZERO(long long, float2ll_rz, float, "cvt.rzi.s64.f32", "l", "f")
TO_ZERO(unsigned long long, float2ull_rz, float, "cvt.rzi.u64.f32", "l", "f")
#undef TO_ZERO
ONE(double, int2double_rn, int, (double)a)
ONE(double, uint2double_rn, unsigned, (double)a)
ONE(float, frsqrt_rn, float, (float)(1 / __nvvm_sqrt_rn_d((double)a)))
ONE(float, half2float, unsigned short, (float)__builtin_bit_cast(_Float16, a))
ONE(unsigned short, float2half_rn, float, __builtin_bit_cast(unsigned short, (_Float16)a))

// Bits of numbers.
ONE(int, float_as_int, float, __builtin_bit_cast(int, a))
ONE(unsigned, float_as_uint, float, __builtin_bit_cast(unsigned, a))
ONE(float, int_as_float, int, __builtin_bit_cast(float, a))
ONE(float, uint_as_float, unsigned, __builtin_bit_cast(float, a))
ONE(unsigned long long, double_as_longlong, double, __builtin_bit_cast(unsigned long long, a))
ONE(double, longlong_as_double, long long, __builtin_bit_cast(double, a))
ONE(int, double2hiint, double, (int)(__builtin_bit_cast(unsigned long long, a) >> 32))
ONE(int, double2loint, double, (int)__builtin_bit_cast(unsigned long long, a))
TWO(double, hiloint2double, int,
    __builtin_bit_cast(double, (unsigned long long)(unsigned)a << 32 | (unsigned)b))

// Integers.
ONE(int, abs, int, a < 0 ? -a : a)
ONE(long long, llabs, long long, a < 0 ? -a : a)
TWO(int, min, int, a < b ? a : b)
TWO(int, max, int, a > b ? a : b)
TWO(unsigned, umin, unsigned, a < b ? a : b)
TWO(unsigned, umax, unsigned, a > b ? a : b)
TWO(long long, llmin, long long, a < b ? a : b)
TWO(long long, llmax, long long, a > b ? a : b)
TWO(unsigned long long, ullmin, unsigned long long, a < b ? a : b)
TWO(unsigned long long, ullmax, unsigned long long, a > b ? a : b)
ONE(int, brev, int, (int)__builtin_bitreverse32((unsigned)a))
ONE(long long, brevll, long long, (long long)__builtin_bitreverse64((unsigned long long)a))
ONE(int, clz, int, a ? __builtin_clz((unsigned)a) : 32)
ONE(int, clzll, long long, a ? __builtin_clzll((unsigned long long)a) : 64)
ONE(int, popc, unsigned, __builtin_popcount(a))
ONE(int, popcll, unsigned long long, __builtin_popcountll(a))
ONE(int, ffs, int, __builtin_ffs(a))
ONE(int, ffsll, long long, __builtin_ffsll(a))
THREE(int, byte_perm, int, (int)__nvvm_prmt((unsigned)a, (unsigned)b, (unsigned)c))
TWO(int, mul24, int, __nvvm_mul24_i(a, b))
TWO(unsigned, umul24, unsigned, __nvvm_mul24_ui(a, b))
TWO(int, mulhi, int, __nvvm_mulhi_i(a, b))
TWO(unsigned, umulhi, unsigned, __nvvm_mulhi_ui(a, b))
TWO(long long, mul64hi, long long, __nvvm_mulhi_ll(a, b))
TWO(unsigned long long, umul64hi, unsigned long long, __nvvm_mulhi_ull(a, b))
TWO(int, hadd, int, (int)(((long long)a + b) >> 1))
TWO(int, rhadd, int, (int)(((long long)a + b + 1) >> 1))
TWO(int, uhadd, unsigned, (int)(((unsigned long long)a + b) >> 1))
TWO(unsigned, urhadd, unsigned, (unsigned)(((unsigned long long)a + b + 1) >> 1))
FUNCTION int __nv_sad(int a, int b, int c) {
  return (int)__nvvm_sad_i(a, b, (unsigned)c);
}
THREE(unsigned, usad, unsigned, __nvvm_sad_ui(a, b, c))

// The GPU's own approximations.
ONE(float, saturatef, float, __nvvm_saturate_f(a))
ONE(float, fast_sinf, float, __nvvm_sin_approx_f(a))
ONE(float, fast_cosf, float, __nvvm_cos_approx_f(a))
ONE(float, fast_tanf, float, __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a)))
ONE(float, fast_expf, float, __nvvm_ex2_approx_f(a * 1.4426950408889634f))
ONE(float, fast_exp10f, float, __nvvm_ex2_approx_f(a * 3.3219280948873623f))
ONE(float, fast_logf, float, __nvvm_lg2_approx_f(a) * 0.6931471805599453f)
ONE(float, fast_log2f, float, __nvvm_lg2_approx_f(a))
ONE(float, fast_log10f, float, __nvvm_lg2_approx_f(a) * 0.3010299956639812f)
TWO(float, fast_powf, float, __nvvm_ex2_approx_f(b* __nvvm_lg2_approx_f(a)))
TWO(float, fast_fdividef, float, __nvvm_div_approx_f(a, b))
extern "C" __attribute__((always_inline)) void __nv_fast_sincosf(float a, float* s, float* c) {
  *s = __nvvm_sin_approx_f(a);
  *c = __nvvm_cos_approx_f(a);
}
// The reciprocal of the upper half of a double.
ONE(double, rcp64h, double, __nvvm_rcp_approx_ftz_d(a))
#undef ONE
#undef TWO
#undef THREE
#undef FUNCTION
