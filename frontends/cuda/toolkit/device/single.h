// The functions of floats: computed in doubles and rounded once, so that they are right to half a
// unit, nearly always.
//
// Those that kernels call most have shorter series of their own, which are right to 40 bits and
// more; the others go through the function of doubles.
#pragma once
#include "parts.h"
#include "special.h"
#include "trig.h"

// e^x for |x| < 200, to 45 bits: enough for a float.
INNER double short_exp(double x) {
  double k = nearest(mul(x, per_ln2.hi)), r = fma(k, -ln2.hi, x);
  double t = 1.0 / 3628800;
  t = fma(t, r, 1.0 / 362880);
  t = fma(t, r, 1.0 / 40320);
  t = fma(t, r, 1.0 / 5040);
  t = fma(t, r, 1.0 / 720);
  t = fma(t, r, 1.0 / 120);
  t = fma(t, r, 1.0 / 24);
  t = fma(t, r, 1.0 / 6);
  t = fma(t, r, 0.5);
  t = fma(t, r, 1);
  t = fma(t, r, 1);
  return mul(t, power2((int)k));
}
// log2 of a positive finite number, to 50 bits.
INNER double short_log2(double x) {
  double m;
  int k = split_exponent(x, &m);
  if (m > 0x1.6a09e667f3bcdp0) m = mul(m, 0.5), k++;
  double s = quotient(add(m, -1), add(m, 1)), z = mul(s, s);
  double t = 1.0 / 19;
  t = fma(t, z, 1.0 / 17);
  t = fma(t, z, 1.0 / 15);
  t = fma(t, z, 1.0 / 13);
  t = fma(t, z, 1.0 / 11);
  t = fma(t, z, 1.0 / 9);
  t = fma(t, z, 1.0 / 7);
  t = fma(t, z, 1.0 / 5);
  t = fma(t, z, 1.0 / 3);
  t = fma(t, z, 1);
  return fma(mul(2 * per_ln2.hi, s), t, k);
}
// Sine and cosine, to 45 bits.
INNER void short_sine(double x, double* sine_of_x, double* cosine_of_x) {
  int n;
  double r;
  if (magnitude(x) < 0x1p20) {
    double k = nearest(mul(x, 0x1.45f306dc9c883p-1));
    n = (int)k;
    r = fma(k, -half_pi.lo, fma(k, -half_pi.hi, x));
  } else {
    r = reduce(x, &n).hi;
  }
  double z = mul(r, r);
  double s = -1.0 / 1307674368000;
  s = fma(s, z, 1.0 / 6227020800);
  s = fma(s, z, -1.0 / 39916800);
  s = fma(s, z, 1.0 / 362880);
  s = fma(s, z, -1.0 / 5040);
  s = fma(s, z, 1.0 / 120);
  s = fma(s, z, -1.0 / 6);
  s = fma(mul(s, z), r, r);
  double c = -1.0 / 87178291200;
  c = fma(c, z, 1.0 / 479001600);
  c = fma(c, z, -1.0 / 3628800);
  c = fma(c, z, 1.0 / 40320);
  c = fma(c, z, -1.0 / 720);
  c = fma(c, z, 1.0 / 24);
  c = fma(c, z, -0.5);
  c = fma(c, z, 1);
  double a = n & 1 ? c : s, b = n & 1 ? s : c;
  *sine_of_x = n & 2 ? -a : a;
  *cosine_of_x = (n + 1) & 2 ? -b : b;
}

INNER bool finite(float x) {
  return magnitude(x) < INF;
}

extern "C" {
float __nv_expf(float x) {
  return x > 100 ? (float)INF : x < -110 ? 0 : x != x ? x : (float)short_exp(x);
}
float __nv_exp2f(float x) {
  return x > 130 ? (float)INF : x < -155 ? 0 : x != x ? x : (float)short_exp(mul(x, ln2.hi));
}
float __nv_exp10f(float x) {
  return x > 40 ? (float)INF : x < -50 ? 0 : x != x ? x : (float)short_exp(mul(x, ln10.hi));
}
float __nv_log2f(float x) {
  if (!(x > 0)) return x == 0 ? -(float)INF : (float)NAN;
  return finite(x) ? (float)short_log2(x) : x;
}
float __nv_logf(float x) {
  return x > 0 && finite(x) ? (float)mul(short_log2(x), ln2.hi) : __nv_log2f(x);
}
float __nv_log10f(float x) {
  return x > 0 && finite(x) ? (float)mul(short_log2(x), 0x1.34413509f79ffp-2) : __nv_log2f(x);
}
float __nv_powf(float x, float y) {
  if (x > 0 && finite(x) && finite(y)) {
    double p = mul(short_log2(x), y);
    return p > 130 ? (float)INF : p < -155 ? 0 : (float)short_exp(mul(p, ln2.hi));
  }
  return (float)__nv_pow(x, y);
}
float __nv_powif(float x, int n) {
  return (float)__nv_pow(x, n);
}
void __nv_sincosf(float x, float* s, float* c) {
  if (!finite(x)) {
    *s = *c = (float)NAN;
    return;
  }
  double a, b;
  short_sine(x, &a, &b);
  *s = x == 0 ? x : (float)a, *c = (float)b;
}
float __nv_sinf(float x) {
  float s, c;
  __nv_sincosf(x, &s, &c);
  return s;
}
float __nv_cosf(float x) {
  float s, c;
  __nv_sincosf(x, &s, &c);
  return c;
}
float __nv_tanf(float x) {
  if (!finite(x)) return (float)NAN;
  double s, c;
  short_sine(x, &s, &c);
  return x == 0 ? x : (float)quotient(s, c);
}

#define OF_DOUBLE(name)           \
  float __nv_##name##f(float x) { \
    return (float)__nv_##name(x); \
  }
OF_DOUBLE(expm1)
OF_DOUBLE(log1p)
OF_DOUBLE(cbrt)
OF_DOUBLE(rcbrt)
OF_DOUBLE(sinh)
OF_DOUBLE(cosh)
OF_DOUBLE(tanh)
OF_DOUBLE(asinh)
OF_DOUBLE(acosh)
OF_DOUBLE(atanh)
OF_DOUBLE(asin)
OF_DOUBLE(acos)
OF_DOUBLE(atan)
OF_DOUBLE(sinpi)
OF_DOUBLE(cospi)
OF_DOUBLE(erf)
OF_DOUBLE(erfc)
OF_DOUBLE(erfcx)
OF_DOUBLE(erfinv)
OF_DOUBLE(erfcinv)
OF_DOUBLE(normcdf)
OF_DOUBLE(normcdfinv)
OF_DOUBLE(tgamma)
OF_DOUBLE(lgamma)
OF_DOUBLE(logb)
#undef OF_DOUBLE
#define OF_DOUBLES(name)                   \
  float __nv_##name##f(float x, float y) { \
    return (float)__nv_##name(x, y);       \
  }
OF_DOUBLES(atan2)
OF_DOUBLES(fmod)
OF_DOUBLES(remainder)
OF_DOUBLES(hypot)
OF_DOUBLES(rhypot)
#undef OF_DOUBLES
void __nv_sincospif(float x, float* s, float* c) {
  *s = __nv_sinpif(x), *c = __nv_cospif(x);
}
float __nv_norm3df(float a, float b, float c) {
  return (float)__nv_norm3d(a, b, c);
}
float __nv_rnorm3df(float a, float b, float c) {
  return (float)__nv_rnorm3d(a, b, c);
}
float __nv_norm4df(float a, float b, float c, float d) {
  return (float)__nv_norm4d(a, b, c, d);
}
float __nv_rnorm4df(float a, float b, float c, float d) {
  return (float)__nv_rnorm4d(a, b, c, d);
}
// The squares of floats do not leave the range of doubles.
float __nv_normf(int n, const float* v) {
  double s = 0;
  for (int i = 0; i < n; i++) s = fma(v[i], v[i], s);
  return (float)root(s);
}
float __nv_rnormf(int n, const float* v) {
  double s = 0;
  for (int i = 0; i < n; i++) s = fma(v[i], v[i], s);
  return (float)quotient(1, root(s));
}
float __nv_remquof(float x, float y, int* low) {
  return (float)__nv_remquo(x, y, low);
}
float __nv_frexpf(float x, int* e) {
  return (float)__nv_frexp(x, e);
}
float __nv_ldexpf(float x, int n) {
  return (float)__nv_ldexp(x, n);
}
float __nv_scalbnf(float x, int n) {
  return (float)__nv_ldexp(x, n);
}
int __nv_ilogbf(float x) {
  return __nv_ilogb(x);
}
float __nv_modff(float x, float* whole) {
  double w;
  float rest = (float)__nv_modf(x, &w);
  *whole = (float)w;
  return rest;
}
float __nv_nextafterf(float x, float y) {
  if (x != x || y != y) return (float)NAN;
  if (x == y) return y;
  unsigned b = __builtin_bit_cast(unsigned, x);
  if (x == 0) return __builtin_bit_cast(float, 1u | (negative(y) ? 1u << 31 : 0));
  return __builtin_bit_cast(float, (x < y) == !(b >> 31) ? b + 1 : b - 1);
}

EXACT float __nv_fabsf(float x) {
  return __builtin_fabsf(x);
}
EXACT float __nv_floorf(float x) {
  return __builtin_floorf(x);
}
EXACT float __nv_ceilf(float x) {
  return __builtin_ceilf(x);
}
EXACT float __nv_truncf(float x) {
  return __builtin_truncf(x);
}
EXACT float __nv_rintf(float x) {
  return __builtin_rintf(x);
}
EXACT float __nv_nearbyintf(float x) {
  return __builtin_rintf(x);
}
EXACT float __nv_roundf(float x) {
  return (float)__nv_round(x);
}
EXACT long long __nv_llrintf(float x) {
  return __nv_llrint(x);
}
EXACT long long __nv_llroundf(float x) {
  return __nv_llround(x);
}
#ifdef __NVPTX__
EXACT float __nv_sqrtf(float x) {
  return __nvvm_sqrt_rn_f(x);
}
#else
EXACT float __nv_sqrtf(float x) {
  return __builtin_sqrtf(x);
}
#endif
EXACT float __nv_rsqrtf(float x) {
  return (float)quotient(1, root(x));
}
EXACT float __nv_fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
EXACT float __nv_fminf(float a, float b) {
  return __builtin_fminf(a, b);
}
EXACT float __nv_fmaxf(float a, float b) {
  return __builtin_fmaxf(a, b);
}
EXACT float __nv_fdimf(float a, float b) {
  return a != a || b != b ? (float)NAN : a > b ? a - b : 0;
}
EXACT float __nv_copysignf(float a, float b) {
  return __builtin_copysignf(a, b);
}
EXACT int __nv_isnanf(float x) {
  return x != x;
}
EXACT int __nv_isinff(float x) {
  return is_inf(x);
}
EXACT int __nv_finitef(float x) {
  return finite(x);
}
EXACT int __nv_signbitf(float x) {
  return negative(x);
}
float __nv_nanf(const signed char*) {
  return (float)NAN;
}
}
