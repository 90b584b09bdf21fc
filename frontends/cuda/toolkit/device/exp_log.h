// Exponentials, logarithms, and what is made of them: powers, roots and hyperbolic functions.
//
// e^x: x is k*ln 2 + r with |r| below 0.35, and e^r - 1 a Taylor series whose first two terms are
// pairs. log x: x is 2^k * m with m from sqrt(1/2) to sqrt(2), and log m twice the series of atanh
// in (m-1)/(m+1), whose first three terms are pairs. Both keep some 60 bits relative to the result,
// log 66, which x^y for large y needs.
#pragma once
#include "real.h"

static constexpr Pair ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static constexpr Pair ln10{0x1.26bb1bbb55516p1, -0x1.f48ad494ea3e9p-53};
static constexpr Pair per_ln2{0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
static constexpr Pair per_ln10{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

// e^r - 1 for |r| < 0.36.
static Pair exp_less_1(const Pair& r) {
  double x = r.hi;
  double tail = 1.0 / 87178291200;
  tail = fma(tail, x, 1.0 / 6227020800);
  tail = fma(tail, x, 1.0 / 479001600);
  tail = fma(tail, x, 1.0 / 39916800);
  tail = fma(tail, x, 1.0 / 3628800);
  tail = fma(tail, x, 1.0 / 362880);
  tail = fma(tail, x, 1.0 / 40320);
  tail = fma(tail, x, 1.0 / 5040);
  tail = fma(tail, x, 1.0 / 720);
  tail = fma(tail, x, 1.0 / 120);
  tail = fma(tail, x, 1.0 / 24);
  tail = fma(tail, x, 1.0 / 6);
  Pair square = product(x, x);
  Pair half{mul(square.hi, 0.5), fma(square.lo, 0.5, mul(x, r.lo))};
  return plus(plus(r, half), mul(mul(square.hi, x), tail));
}
// k and r of x = k*ln 2 + r; |x| < 2^20.
static Pair reduce_exp(const Pair& x, int* k) {
  double n = nearest(mul(x.hi, per_ln2.hi));
  *k = (int)n;
  // 42 bits of ln 2: their product with k is exact.
  double high = fma(n, -0x1.62e42fefa3p-1, x.hi);
  return plus(plus(Pair{high, 0}, minus(product(n, 0x1.3de6af278ece6p-42))), x.lo);
}
// e^x for a pair, of any size.
static double exp_pair(const Pair& x) {
  if (is_nan(x.hi)) return x.hi;
  if (x.hi > 710) return INF;
  if (x.hi < -746) return 0;
  int k;
  Pair e = exp_less_1(reduce_exp(x, &k));
  Pair y = plus(Pair{1, 0}, e);
  return scale(y.hi, k);
}
// e^x - 1, as a pair; x below 700.
static Pair exp_less_1_pair(const Pair& x) {
  if (magnitude(x.hi) < 0.34) return exp_less_1(x);
  if (x.hi < -60) return {-1, 0};
  int k;
  Pair e = exp_less_1(reduce_exp(x, &k));
  Pair y = plus(Pair{1, 0}, e);
  if (k > 1000) return {scale(y.hi, k), scale(y.lo, k)};
  return plus(Pair{mul(y.hi, power2(k)), mul(y.lo, power2(k))}, -1);
}

// log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2).
static Pair log_1_plus(const Pair& f) {
  Pair s = over(f, plus(Pair{2, 0}, f));
  Pair z = times(s, s);
  double t = 1.0 / 29;
  for (int n = 27; n >= 7; n -= 2) t = fma(t, z.hi, 1.0 / n);
  Pair fifth = plus(Pair{0x1.999999999999ap-3, -0x1.999999999999ap-57}, mul(t, z.hi));
  Pair third = plus(Pair{0x1.5555555555555p-2, 0x1.5555555555555p-56}, times(fifth, z));
  Pair series = plus(s, times(times(s, z), third));
  return {mul(series.hi, 2), mul(series.lo, 2)};
}
// log x for x > 0, finite.
static Pair log_pair(double x) {
  double m;
  int k = split_exponent(x, &m);
  if (m > 0x1.6a09e667f3bcdp0) m = mul(m, 0.5), k++;
  Pair l = log_1_plus(Pair{add(m, -1), 0});
  if (k == 0) return l;
  // 42 bits of ln 2 and the rest: no product is rounded.
  return plus(plus(Pair{mul(k, 0x1.62e42fefa3p-1), 0}, product(k, 0x1.3de6af278ece6p-42)), l);
}
// log(1 + f) for f > -1, finite.
static Pair log_1_plus_pair(const Pair& f) {
  if (f.hi > -0.29 && f.hi < 0.41) return log_1_plus(f);
  Pair x = plus(Pair{1, 0}, f);
  Pair l = log_pair(x.hi);
  return plus(l, quotient(x.lo, x.hi));
}

extern "C" {
double __nv_exp(double x) {
  return exp_pair({x, 0});
}
double __nv_exp2(double x) {
  if (is_nan(x)) return x;
  if (x >= 1024) return INF;
  if (x < -1080) return 0;
  return exp_pair(times(ln2, x));
}
double __nv_exp10(double x) {
  if (is_nan(x)) return x;
  if (x > 309) return INF;
  if (x < -325) return 0;
  return exp_pair(times(ln10, x));
}
double __nv_expm1(double x) {
  if (is_nan(x) || magnitude(x) < 0x1p-54) return x;
  if (x > 709.79) return INF;
  return round_pair(exp_less_1_pair({x, 0}));
}
double __nv_log(double x) {
  if (is_nan(x) || x < 0) return NAN;
  if (x == 0) return -INF;
  if (is_inf(x)) return x;
  return round_pair(log_pair(x));
}
double __nv_log2(double x) {
  if (is_nan(x) || x < 0) return NAN;
  if (x == 0) return -INF;
  if (is_inf(x)) return x;
  double m;
  int k = split_exponent(x, &m);
  if (m > 0x1.6a09e667f3bcdp0) m = mul(m, 0.5), k++;
  return round_pair(plus(Pair{(double)k, 0}, times(log_1_plus(Pair{add(m, -1), 0}), per_ln2)));
}
double __nv_log10(double x) {
  if (is_nan(x) || x < 0) return NAN;
  if (x == 0) return -INF;
  if (is_inf(x)) return x;
  return round_pair(times(log_pair(x), per_ln10));
}
double __nv_log1p(double x) {
  if (is_nan(x) || x < -1) return NAN;
  if (x == -1) return -INF;
  if (is_inf(x) || magnitude(x) < 0x1p-54) return x;
  return round_pair(log_1_plus_pair({x, 0}));
}
double __nv_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return NAN;
  double ay = magnitude(y), ax = magnitude(x);
  bool integer = ay >= 0x1p52 || __builtin_trunc(y) == y;
  bool odd = integer && ay < 0x1p53 && __builtin_trunc(mul(y, 0.5)) != mul(y, 0.5);
  if (is_inf(y)) return ax == 1 ? 1 : (ax > 1) == (y > 0) ? INF : 0;
  double sign = odd && negative(x) ? -1 : 1;
  if (ax == 0) return y > 0 ? with_sign(0, sign) : with_sign(INF, sign);
  if (is_inf(x)) return y > 0 ? with_sign(INF, sign) : with_sign(0, sign);
  if (x < 0 && !integer) return NAN;
  if (ax == 1) return sign;
  // Beyond this the result is 0 or infinite for every other x, and the product with the logarithm
  // could overflow.
  if (ay > 0x1p64) return mul(sign, (ax > 1) == (y > 0) ? INF : 0);
  return mul(sign, exp_pair(times(log_pair(ax), y)));
}
double __nv_powi(double x, int n) {
  return __nv_pow(x, n);
}
double __nv_cbrt(double x) {
  double a = magnitude(x);
  if (a == 0 || !(a < INF)) return x;
  double m;
  int k = split_exponent(a, &m);
  int third = (k + 3000) / 3 - 1000, rest = k - 3 * third;
  m = mul(m, power2(rest));
  // From 1 to 8: a line to begin with, Newton's steps, and one more of a pair.
  double r = fma(m, 0.15, 0.9);
  for (int i = 0; i < 5; i++) r = fma(quotient(m, mul(r, r)), 1.0 / 3, mul(r, 2.0 / 3));
  Pair cube = times(product(r, r), r);
  r = add(r, quotient(add(add(m, -cube.hi), -cube.lo), mul(3, mul(r, r))));
  return with_sign(mul(r, power2(third)), x);
}
double __nv_rcbrt(double x) {
  double a = magnitude(x);
  if (is_nan(x)) return x;
  if (a == 0) return with_sign(INF, x);
  if (is_inf(x)) return with_sign(0, x);
  double r = __nv_cbrt(x);
  double m;
  int k = split_exponent(a, &m), third = (k + 3000) / 3 - 1000;
  // What the root lacks, in a scale where the cube is between 1 and 8.
  double s = mul(magnitude(r), power2(-third));
  Pair cube = times(product(s, s), s);
  double lacks =
      quotient(add(add(mul(m, power2(k - 3 * third)), -cube.hi), -cube.lo), mul(3, mul(s, s)));
  Pair inverse = over(Pair{1, 0}, fast_sum(s, lacks));
  return with_sign(mul(inverse.hi, power2(-third)), x);
}
double __nv_sinh(double x) {
  double a = magnitude(x);
  if (!(a < INF) || a < 0x1p-28) return x;
  if (a > 40) {
    int k;
    if (a > 711) return with_sign(INF, x);
    Pair e = plus(Pair{1, 0}, exp_less_1(reduce_exp({a, 0}, &k)));
    return with_sign(scale(e.hi, k - 1), x);
  }
  Pair e = exp_less_1_pair({a, 0});
  Pair twice = plus(e, over(e, plus(Pair{1, 0}, e)));
  return with_sign(mul(round_pair(twice), 0.5), x);
}
double __nv_cosh(double x) {
  double a = magnitude(x);
  if (is_nan(x)) return x;
  if (a > 711) return INF;
  int k;
  Pair e = plus(Pair{1, 0}, exp_less_1(reduce_exp({a, 0}, &k)));
  if (a > 40) return scale(e.hi, k - 1);
  e = {mul(e.hi, power2(k)), mul(e.lo, power2(k))};
  return mul(round_pair(plus(e, over(Pair{1, 0}, e))), 0.5);
}
double __nv_tanh(double x) {
  double a = magnitude(x);
  if (is_nan(x) || a < 0x1p-28) return x;
  if (a > 22) return with_sign(1, x);
  Pair e = exp_less_1_pair({mul(2, a), 0});
  return with_sign(round_pair(over(e, plus(Pair{2, 0}, e))), x);
}
double __nv_asinh(double x) {
  double a = magnitude(x);
  if (!(a < INF) || a < 0x1p-28) return x;
  if (a > 0x1p30) return with_sign(round_pair(plus(log_pair(a), ln2)), x);
  Pair square = product(a, a);
  Pair f = plus(over(square, plus(Pair{1, 0}, root(plus(Pair{1, 0}, square)))), a);
  return with_sign(round_pair(log_1_plus_pair(f)), x);
}
double __nv_acosh(double x) {
  if (!(x >= 1)) return NAN;
  if (is_inf(x)) return x;
  if (x > 0x1p30) return round_pair(plus(log_pair(x), ln2));
  Pair t = sum(x, -1);
  return round_pair(
      log_1_plus_pair(plus(t, root(plus(Pair{mul(2, t.hi), mul(2, t.lo)}, times(t, t))))));
}
double __nv_atanh(double x) {
  double a = magnitude(x);
  if (is_nan(x) || a > 1) return NAN;
  if (a == 1) return with_sign(INF, x);
  if (a < 0x1p-28) return x;
  Pair l = log_1_plus_pair(over(Pair{mul(2, a), 0}, sum(1, -a)));
  return with_sign(mul(round_pair(l), 0.5), x);
}
}
