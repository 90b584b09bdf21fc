// Error functions, their inverses, and the gamma function.
//
// erf is a Taylor series below 1/2. Above it, (1 + 2x) * e^(x*x) * erfc(x) is one polynomial in (x
// - 4)/(x + 4), made by interpolation at Chebyshev's points. The inverses take a few of Halley's
// steps from Winitzki's approximation. The gamma function is Stirling's series from 12 on; smaller
// arguments are brought there by multiplication, negative ones by reflection. Its logarithm has a
// series of its own around 1 and 2, where it is 0; near its other zeros, which are at negative
// arguments, it is right to the last place of the terms that cancel only.
#pragma once
#include "exp_log.h"
#include "trig.h"

static constexpr Pair two_per_root_pi{0x1.20dd750429b6dp0, 0x1.1ae3a914fed8p-56};

// erf for |x| < 0.5.
static Pair erf_series(double x) {
  double z = mul(x, x), t = 0, factorial = 479001600;
  for (int n = 12; n >= 1; n--) {
    t = fma(t, -z, 1.0 / mul(factorial, 2 * n + 1));
    factorial /= n;
  }
  Pair first = times(two_per_root_pi, x);
  return plus(first, mul(mul(first.hi, -z), t));
}
// e^(x*x) * erfc(x) for x >= 0.5.
static Pair scaled_erfc(double x) {
  static constexpr double c[29] = {
      0x1.3ba5916e9fd7fp0,    -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd7bfp-7,
      0x1.16ecefcfa5391p-4,   -0x1.9ddb23c3e911dp-4,  0x1.7fee004e12606p-4,
      -0x1.0fb06dfe487d1p-4,  0x1.3079edf680f01p-5,   -0x1.0962388556613p-6,
      0x1.49c67286aa36bp-8,   -0x1.8d4a9980d7508p-11, -0x1.a1df25a7c8971p-13,
      0x1.3be03167f58a9p-13,  -0x1.9959498e06791p-16, -0x1.78812ecfb199fp-17,
      0x1.7f2a028a2d119p-18,  0x1.383d73d84695cp-22,  -0x1.bb41e878fb501p-21,
      0x1.53e52683d1a91p-24,  0x1.dccbd2814b683p-24,  -0x1.7d069b449d2cbp-26,
      -0x1.0a7cc7db5ad19p-26, 0x1.213798313f0d2p-28,  0x1.34cdbd4260a27p-29,
      -0x1.74a11d17f7d58p-31, -0x1.3e753e6dd438bp-32, 0x1.7d08fcd728099p-34,
      0x1.8c989018c21cfp-36,  -0x1.c2a3c4c2d2013p-38};
  double t = x > 0x1p60 ? 1 : quotient(add(x, -4), add(x, 4)), s = c[28];
  for (int n = 27; n >= 1; n--) s = fma(s, t, c[n]);
  if (x > 0x1p60) return {quotient(0x1.20dd750429b6dp-1, x), 0};
  return over(fast_sum(c[0], mul(s, t)), sum(1, mul(2, x)));
}

extern "C" {
double __nv_erfc(double x) {
  if (is_nan(x)) return x;
  double a = magnitude(x);
  if (a < 0.5) return round_pair(plus(minus(erf_series(x)), 1));
  if (a > 28) return x > 0 ? 0 : 2;
  int k;
  Pair e = plus(Pair{1, 0}, exp_less_1(reduce_exp(minus(product(a, a)), &k)));
  Pair y = times(e, scaled_erfc(a));
  if (x > 0) return scale(y.hi, k);
  return round_pair(plus(Pair{scale(-y.hi, k), scale(-y.lo, k)}, 2));
}
double __nv_erf(double x) {
  if (is_nan(x) || x == 0) return x;
  double a = magnitude(x);
  if (a < 0.5) return round_pair(erf_series(x));
  return with_sign(a > 6 ? 1 : add(1, -__nv_erfc(a)), x);
}
double __nv_erfcx(double x) {
  if (is_nan(x)) return x;
  if (x >= 0.5) return round_pair(scaled_erfc(x));
  if (x < -26.8) return INF;
  int k;
  Pair e = plus(Pair{1, 0}, exp_less_1(reduce_exp(product(x, x), &k)));
  e = {scale(e.hi, k), scale(e.lo, k)};
  if (x > -0.5) return round_pair(times(e, plus(minus(erf_series(x)), 1)));
  return round_pair(plus(Pair{mul(2, e.hi), mul(2, e.lo)}, minus(scaled_erfc(-x))));
}
// y of erfc(y) = x for 0 < x < 1.
static double inverse_erfc(double x) {
  double l = __nv_log(mul(x, add(2, -x))), t = fma(l, 0.5, 4.330746750799873);
  double y = root(add(root(fma(t, t, mul(l, -6.802721088435375))), -t));
  for (int i = 0; i < 3; i++) {
    // Relative to the scaled function, so that neither vanishes.
    double slope = mul(-two_per_root_pi.hi, exp_pair(minus(product(y, y))));
    if (slope == 0) break;
    double u = quotient(add(__nv_erfc(y), -x), slope);
    y = add(y, -quotient(u, fma(y, u, 1)));
  }
  return y;
}
double __nv_erfinv(double x) {
  double a = magnitude(x);
  if (!(a <= 1)) return NAN;
  if (a == 1) return with_sign(INF, x);
  if (a > 0.5) return with_sign(inverse_erfc(add(1, -a)), x);
  if (a < 0x1p-28) return mul(x, 0x1.c5bf891b4ef6bp-1);
  double l = __nv_log1p(-mul(a, a)), t = fma(l, 0.5, 4.330746750799873);
  double y = root(add(root(fma(t, t, mul(l, -6.802721088435375))), -t));
  for (int i = 0; i < 3; i++) {
    Pair slope = times(two_per_root_pi, exp_pair(minus(product(y, y))));
    double u = quotient(add(__nv_erf(y), -a), slope.hi);
    y = add(y, -quotient(u, fma(y, u, 1)));
  }
  return with_sign(y, x);
}
double __nv_erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0 || x == 2) return x == 0 ? INF : -INF;
  if (x >= 0.5 && x <= 1.5) return __nv_erfinv(add(1, -x));
  return x < 1 ? inverse_erfc(x) : -inverse_erfc(add(2, -x));
}
double __nv_normcdf(double x) {
  if (is_nan(x)) return x;
  if (x < -40) return 0;
  if (x > 40) return 1;
  Pair t = times(Pair{-0x1.6a09e667f3bcdp-1, 0x1.bdd3413b26456p-55}, x);
  double slope = mul(two_per_root_pi.hi, exp_pair(minus(product(t.hi, t.hi))));
  return mul(0.5, fma(-slope, t.lo, __nv_erfc(t.hi)));
}
double __nv_normcdfinv(double p) {
  return mul(-0x1.6a09e667f3bcdp0, __nv_erfcinv(mul(2, p)));
}
}

// log of gamma(x) for x >= 12.
static Pair stirling(const Pair& x) {
  double r = quotient(1, x.hi), z = mul(r, r);
  double s = -3617.0 / 122400;
  s = fma(s, z, 1.0 / 156);
  s = fma(s, z, -691.0 / 360360);
  s = fma(s, z, 1.0 / 1188);
  s = fma(s, z, -1.0 / 1680);
  s = fma(s, z, 1.0 / 1260);
  s = fma(s, z, -1.0 / 360);
  s = fma(s, z, 1.0 / 12);
  Pair l = plus(log_pair(x.hi), quotient(x.lo, x.hi));
  Pair y = plus(times(plus(x, -0.5), l), minus(x));
  y = plus(y, Pair{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
  return plus(y, mul(s, r));
}
// gamma(x) = e^l / p for x > 0.
static void gamma_parts(const Pair& of, Pair* l, Pair* p) {
  Pair x = of;
  *p = {1, 0};
  while (x.hi < 12) {
    *p = times(*p, x);
    x = plus(x, 1);
  }
  *l = stirling(x);
}
static Pair log_gamma(const Pair& of) {
  Pair x = of;
  if (x.hi >= 2.5) {
    Pair l, p;
    gamma_parts(x, &l, &p);
    return plus(l, minus(plus(log_pair(p.hi), quotient(p.lo, p.hi))));
  }
  // Below 1.5 from the next argument, and below 0.5 from the one after it.
  Pair logs{0, 0};
  if (x.hi < 0.5) {
    logs = plus(log_pair(x.hi), quotient(x.lo, x.hi));
    x = plus(x, 1);
  }
  Pair z = plus(x, -2);
  if (x.hi < 1.5) {
    z = plus(x, -1);
    logs = plus(logs, log_1_plus_pair(z));
  }
  // The series of log gamma(2 + z); its coefficients are (zeta(n) - 1)/n.
  static constexpr double c[28] = {
      0x1.4a34cc4a60fa6p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d8483p-6,  -0x1.e404fc218f5f2p-8,
      0x1.7add6eadb6c3p-9,   -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
      0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16, -0x1.3cbc963ce2243p-17,
      0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22,
      0x1.c76bbb3f07a4dp-23, -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, -0x1.862c734df3eacp-26,
      0x1.7469daccfadcdp-27, -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29, -0x1.47b1679258d0ep-30,
      0x1.3b15d2b2fc10cp-31, -0x1.2f69a9fabe3ep-32,  0x1.24932a337434cp-33, -0x1.1a7c26ec2523cp-34};
  double s = c[27];
  for (int n = 26; n >= 1; n--) s = fma(s, z.hi, c[n]);
  Pair first = plus(Pair{c[0], 0x1.1873d8912200cp-56}, mul(s, z.hi));
  Pair y = plus(Pair{0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58}, times(first, z));
  return plus(times(y, z), minus(logs));
}

extern "C" {
double __nv_tgamma(double x) {
  if (is_nan(x) || x == -INF) return NAN;
  if (x == 0) return with_sign(INF, x);
  if (x > 172) return INF;
  if (magnitude(x) < 0x1p-60) return quotient(1, x);
  Pair l, p;
  if (x > 0) {
    gamma_parts({x, 0}, &l, &p);
    int k;
    Pair e = plus(Pair{1, 0}, exp_less_1(reduce_exp(l, &k)));
    return scale(over(e, p).hi, k);
  }
  if (__builtin_trunc(x) == x) return NAN;
  int n;
  Pair r = reduce_turns(x, &n);
  Pair s = n & 1 ? cosine(r) : sine(r);
  if (n & 2) s = minus(s);
  if (x < -185) return with_sign(0, s.hi);
  gamma_parts(sum(1, -x), &l, &p);
  int k;
  Pair e = plus(Pair{1, 0}, exp_less_1(reduce_exp(minus(l), &k)));
  return scale(over(times(times(pi, p), e), s).hi, k);
}
double __nv_lgamma(double x) {
  if (is_nan(x)) return x;
  if (is_inf(x) || x > 0x1p1015) return INF;
  if (magnitude(x) < 0x1p-60) return x == 0 ? INF : -round_pair(log_pair(magnitude(x)));
  if (x > 0) return round_pair(log_gamma({x, 0}));
  if (__builtin_trunc(x) == x) return INF;
  int n;
  Pair r = reduce_turns(x, &n);
  double s = magnitude(round_pair(n & 1 ? cosine(r) : sine(r)));
  Pair log_of_pi{0x1.250d048e7a1bdp0, 0x1.7abf2ad8d5088p-57};
  return round_pair(plus(plus(log_of_pi, minus(log_pair(s))), minus(log_gamma(sum(1, -x)))));
}
}
