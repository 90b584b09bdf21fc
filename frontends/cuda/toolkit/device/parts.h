// Functions that are exact or nearly so: rounding, parts of a number, remainders, lengths.
#pragma once
#include "exp_log.h"

extern "C" {
EXACT double __nv_fabs(double x) {
  return __builtin_fabs(x);
}
EXACT double __nv_floor(double x) {
  return __builtin_floor(x);
}
EXACT double __nv_ceil(double x) {
  return __builtin_ceil(x);
}
EXACT double __nv_trunc(double x) {
  return __builtin_trunc(x);
}
EXACT double __nv_rint(double x) {
  return __builtin_rint(x);
}
EXACT double __nv_nearbyint(double x) {
  return __builtin_rint(x);
}
EXACT double __nv_round(double x) {
  double t = __builtin_trunc(x);
  return with_sign(
      magnitude(x) < 0x1p52 && magnitude(add(x, -t)) >= 0.5 ? add(t, with_sign(1, x)) : t, x);
}
EXACT long long __nv_llrint(double x) {
  return (long long)__builtin_rint(x);
}
EXACT long long __nv_llround(double x) {
  return (long long)__nv_round(x);
}
EXACT double __nv_sqrt(double x) {
  return root(x);
}
EXACT double __nv_fma(double a, double b, double c) {
  return fma(a, b, c);
}
EXACT double __nv_fmin(double a, double b) {
  return __builtin_fmin(a, b);
}
EXACT double __nv_fmax(double a, double b) {
  return __builtin_fmax(a, b);
}
EXACT double __nv_fdim(double a, double b) {
  return is_nan(a) || is_nan(b) ? NAN : a > b ? add(a, -b) : 0;
}
EXACT double __nv_copysign(double a, double b) {
  return with_sign(a, b);
}
EXACT int __nv_isnand(double x) {
  return is_nan(x);
}
EXACT int __nv_isinfd(double x) {
  return is_inf(x);
}
EXACT int __nv_isfinited(double x) {
  return magnitude(x) < INF;
}
EXACT int __nv_signbitd(double x) {
  return negative(x);
}
double __nv_nan(const signed char*) {
  return NAN;
}

double __nv_ldexp(double x, int n) {
  return x == 0 || !(magnitude(x) < INF) ? x : scale(x, n);
}
double __nv_scalbn(double x, int n) {
  return __nv_ldexp(x, n);
}
int __nv_ilogb(double x) {
  if (x == 0 || is_nan(x)) return -0x7fffffff - 1;
  double m;
  return is_inf(x) ? 0x7fffffff : split_exponent(magnitude(x), &m);
}
double __nv_logb(double x) {
  return x == 0 ? -INF : is_nan(x) ? x : is_inf(x) ? INF : __nv_ilogb(x);
}
double __nv_frexp(double x, int* e) {
  *e = 0;
  if (x == 0 || !(magnitude(x) < INF)) return x;
  double m;
  *e = split_exponent(x, &m) + 1;
  return mul(m, 0.5);
}
double __nv_modf(double x, double* whole) {
  *whole = __builtin_trunc(x);
  return with_sign(is_inf(x) ? 0 : add(x, -*whole), x);
}
double __nv_nextafter(double x, double y) {
  if (is_nan(x) || is_nan(y)) return NAN;
  if (x == y) return y;
  if (x == 0) return with_sign(real(1), y);
  return real((x < y) == !negative(x) ? bits(x) + 1 : bits(x) - 1);
}
// The remainder of |x|/|y| with the sign of x, and the lowest bits of the quotient: a long division
// of the mantissas, eleven bits a step.
static double divide(double x, double y, unsigned* quotient_bits) {
  double a = magnitude(x), b = magnitude(y), fa, fb;
  *quotient_bits = 0;
  if (a < b) return x;
  int ea = split_exponent(a, &fa), eb = split_exponent(b, &fb), left = ea - eb;
  constexpr Bits one = 1ull << 52;
  Bits rest = (bits(fa) & (one - 1)) | one, divisor = (bits(fb) & (one - 1)) | one;
  unsigned q = (unsigned)(rest / divisor);
  rest %= divisor;
  while (left > 0) {
    int step = left < 11 ? left : 11;
    rest <<= step;
    q = q << step | (unsigned)(rest / divisor);
    rest %= divisor;
    left -= step;
  }
  *quotient_bits = q;
  return with_sign(rest == 0 ? 0 : scale((double)rest, eb - 52), x);
}
double __nv_fmod(double x, double y) {
  if (!(magnitude(x) < INF) || is_nan(y) || y == 0) return NAN;
  unsigned q;
  return divide(x, y, &q);
}
double __nv_remquo(double x, double y, int* low) {
  *low = 0;
  if (!(magnitude(x) < INF) || is_nan(y) || y == 0) return NAN;
  unsigned q = 0;
  double r = is_inf(y) ? x : divide(x, y, &q), a = magnitude(r), b = magnitude(y);
  // Nearer to the next multiple, or as near and the quotient odd: r > b/2 without rounding.
  bool up = b < 0x1p-1000 ? (mul(2, a) > b || (mul(2, a) == b && q & 1))
                          : (a > mul(0.5, b) || (a == mul(0.5, b) && q & 1));
  if (up) r = add(r, negative(r) ? b : -b), q++;
  *low = negative(x) != negative(y) ? -(int)(q & 0x7fffffff) : (int)(q & 0x7fffffff);
  return r == 0 ? with_sign(0, x) : r;
}
double __nv_remainder(double x, double y) {
  int q;
  return __nv_remquo(x, y, &q);
}

// The length of a vector, with the largest element brought to about 1, as a pair and its exponent.
static Pair length(int n, const double* v, int* e) {
  double largest = 0;
  bool infinite = false, none = false;
  for (int i = 0; i < n; i++) {
    double a = magnitude(v[i]);
    infinite |= is_inf(a);
    none |= is_nan(a);
    if (a > largest) largest = a;
  }
  *e = 0;
  if (infinite) return {INF, 0};
  if (none) return {NAN, 0};
  if (largest == 0) return {0, 0};
  double m;
  *e = split_exponent(largest, &m);
  Pair s{0, 0};
  for (int i = 0; i < n; i++) {
    double a = scale(v[i], -*e);
    s = plus(s, product(a, a));
  }
  return root(s);
}
double __nv_norm(int n, const double* v) {
  int e;
  Pair l = length(n, v, &e);
  return e == 0 ? l.hi : scale(l.hi, e);
}
double __nv_rnorm(int n, const double* v) {
  int e;
  Pair l = length(n, v, &e);
  if (l.hi == 0) return INF;
  if (!(l.hi < INF)) return is_nan(l.hi) ? l.hi : 0;
  return scale(over(Pair{1, 0}, l).hi, -e);
}
double __nv_hypot(double a, double b) {
  double v[2] = {a, b};
  return __nv_norm(2, v);
}
double __nv_rhypot(double a, double b) {
  double v[2] = {a, b};
  return __nv_rnorm(2, v);
}
double __nv_norm3d(double a, double b, double c) {
  double v[3] = {a, b, c};
  return __nv_norm(3, v);
}
double __nv_rnorm3d(double a, double b, double c) {
  double v[3] = {a, b, c};
  return __nv_rnorm(3, v);
}
double __nv_norm4d(double a, double b, double c, double d) {
  double v[4] = {a, b, c, d};
  return __nv_norm(4, v);
}
double __nv_rnorm4d(double a, double b, double c, double d) {
  double v[4] = {a, b, c, d};
  return __nv_rnorm(4, v);
}
double __nv_rsqrt(double x) {
  if (x == 0) return with_sign(INF, x);
  if (!(x > 0)) return NAN;
  if (is_inf(x)) return 0;
  double m;
  int k = split_exponent(x, &m), half = (k + 2000) / 2 - 1000;
  Pair r = root(Pair{mul(m, power2(k - 2 * half)), 0});
  return mul(over(Pair{1, 0}, r).hi, power2(-half));
}
}
