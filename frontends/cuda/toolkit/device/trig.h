// Sine, cosine and tangent, of radians and of half turns, and their inverses.
//
// An argument is n*pi/2 + r with |r| up to pi/4, r a pair. Below 2^20 pi/2 is taken off in three
// parts; above that the fraction of x*2/pi comes from those 192 bits of 2/pi that matter for the
// exponent of x. Then sine and cosine are Taylor series, added to their first terms as pairs. The
// arc tangent of y/x for 0 <= y <= x is that of k/8, for the nearest k, and a Taylor series of what
// is left; the other inverses are made of it.
#pragma once
#include "real.h"

static constexpr Pair pi{0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};
static constexpr Pair half_pi{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};

// The bits of 2/pi after the point, from position `at`; there are zeros before the first.
static Bits bits_of_2_over_pi(int at) {
  static constexpr Bits words[20] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
      0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  int word = at >> 6, shift = at & 63;
  Bits first = word < 0 ? 0 : words[word], second = word + 1 < 0 ? 0 : words[word + 1];
  return shift == 0 ? first : first << shift | second >> (64 - shift);
}
// n modulo 4 and r of x = n*pi/2 + r, for 2^20 <= x < infinity.
static Pair reduce_large(double x, int* n) {
  Bits m = (bits(x) & ((1ull << 52) - 1)) | 1ull << 52;
  int e = (int)(bits(x) >> 52) - 1023 - 52;
  // Bits of a weight of 4 and more, after multiplication with 2^e, do not matter.
  Bits w2 = bits_of_2_over_pi(e - 2), w1 = bits_of_2_over_pi(e + 62),
       w0 = bits_of_2_over_pi(e + 126);
  unsigned __int128 low = (unsigned __int128)m * w0;
  unsigned __int128 middle = (unsigned __int128)m * w1 + (Bits)(low >> 64);
  Bits f0 = (Bits)low, f1 = (Bits)middle, f2 = m * w2 + (Bits)(middle >> 64);
  int q = (int)(f2 >> 62);
  f2 = f2 << 2 | f1 >> 62, f1 = f1 << 2 | f0 >> 62, f0 <<= 2;
  bool below = f2 >> 63;
  if (below) {
    q++;
    f0 = ~f0 + 1, f1 = ~f1 + (f0 == 0), f2 = ~f2 + (f0 == 0 && f1 == 0);
  }
  *n = q & 3;
  Pair f = sum(mul((double)(f2 >> 32), 0x1p-32), mul((double)(f2 & 0xffffffff), 0x1p-64));
  f = plus(f, sum(mul((double)(f1 >> 32), 0x1p-96), mul((double)(f1 & 0xffffffff), 0x1p-128)));
  f = plus(f, mul((double)f0, 0x1p-192));
  f = times(half_pi, f);
  return below ? minus(f) : f;
}
static Pair reduce(double x, int* n) {
  double a = magnitude(x);
  if (a < 0x1p-27) {
    *n = 0;
    return {x, 0};
  }
  if (a < 0x1p20) {
    double k = nearest(mul(x, 0x1.45f306dc9c883p-1));
    *n = (int)k & 3;
    Pair r = plus(Pair{fma(k, -0x1.921fb544p0, x), 0}, minus(product(k, 0x1.0b4611a6p-34)));
    return plus(r, minus(product(k, 0x1.3198a2e037073p-69)));
  }
  Pair r = reduce_large(a, n);
  if (!negative(x)) return r;
  *n = -*n & 3;
  return minus(r);
}
// n modulo 4 and r of pi*x = n*pi/2 + r, for any finite x.
static Pair reduce_turns(double x, int* n) {
  double y = fma(__builtin_trunc(mul(x, 0.5)), -2, x);
  double k = nearest(mul(y, 2));
  *n = (int)k & 3;
  return times(pi, fma(k, -0.5, y));
}

static Pair sine(const Pair& r) {
  double x = r.hi, z = mul(x, x);
  double t = -1.0 / 121645100408832000;
  t = fma(t, z, 1.0 / 355687428096000);
  t = fma(t, z, -1.0 / 1307674368000);
  t = fma(t, z, 1.0 / 6227020800);
  t = fma(t, z, -1.0 / 39916800);
  t = fma(t, z, 1.0 / 362880);
  t = fma(t, z, -1.0 / 5040);
  t = fma(t, z, 1.0 / 120);
  t = fma(t, z, -1.0 / 6);
  return fast_sum(x, fma(mul(x, z), t, mul(r.lo, fma(z, -0.5, 1))));
}
static Pair cosine(const Pair& r) {
  double x = r.hi;
  Pair square = product(x, x);
  double z = square.hi;
  double t = -1.0 / 6402373705728000;
  t = fma(t, z, 1.0 / 20922789888000);
  t = fma(t, z, -1.0 / 87178291200);
  t = fma(t, z, 1.0 / 479001600);
  t = fma(t, z, -1.0 / 3628800);
  t = fma(t, z, 1.0 / 40320);
  t = fma(t, z, -1.0 / 720);
  t = fma(t, z, 1.0 / 24);
  Pair first = fast_sum(1, mul(z, -0.5));
  double small = fma(square.lo, -0.5, fma(-x, r.lo, first.lo));
  return fast_sum(first.hi, fma(mul(z, z), t, small));
}
// The sine of n*pi/2 + r; of n + 1 it is the cosine.
static double sine_of_quarter(const Pair& r, int n) {
  Pair v = n & 1 ? cosine(r) : sine(r);
  double y = round_pair(v);
  return n & 2 ? -y : y;
}

// The arc tangent of y/x for pairs of which neither is negative and one is not 0.
static Pair arc(const Pair& rise, const Pair& run) {
  Pair y = rise, x = run;
  static constexpr Pair table[9] = {{0, 0},
                                    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  bool steep = y.hi > x.hi;
  if (steep) {
    Pair t = x;
    x = y, y = t;
  }
  double c = mul(nearest(mul(8, quotient(y.hi, x.hi))), 0.125);
  Pair t = c == 0 ? over(y, x) : over(plus(y, minus(times(x, c))), plus(x, times(y, c)));
  double z = mul(t.hi, t.hi);
  double s = 1.0 / 17;
  for (int n = 15; n >= 3; n -= 2) s = fma(s, -z, 1.0 / n);
  t = plus(t, mul(mul(t.hi, -z), s));
  Pair a = plus(table[(int)mul(c, 8)], t);
  return steep ? plus(half_pi, minus(a)) : a;
}

extern "C" {
double __nv_sin(double x) {
  if (!(magnitude(x) < INF)) return NAN;
  int n;
  Pair r = reduce(x, &n);
  return x == 0 ? x : sine_of_quarter(r, n);
}
double __nv_cos(double x) {
  if (!(magnitude(x) < INF)) return NAN;
  int n;
  Pair r = reduce(x, &n);
  return sine_of_quarter(r, n + 1);
}
void __nv_sincos(double x, double* s, double* c) {
  if (!(magnitude(x) < INF)) {
    *s = *c = NAN;
    return;
  }
  int n;
  Pair r = reduce(x, &n);
  *s = x == 0 ? x : sine_of_quarter(r, n);
  *c = sine_of_quarter(r, n + 1);
}
double __nv_tan(double x) {
  if (!(magnitude(x) < INF)) return NAN;
  if (x == 0) return x;
  int n;
  Pair r = reduce(x, &n), s = sine(r), c = cosine(r);
  return round_pair(n & 1 ? minus(over(c, s)) : over(s, c));
}
double __nv_sinpi(double x) {
  if (!(magnitude(x) < INF)) return NAN;
  if (__builtin_trunc(x) == x) return with_sign(0, x);
  int n;
  Pair r = reduce_turns(x, &n);
  return sine_of_quarter(r, n);
}
double __nv_cospi(double x) {
  if (!(magnitude(x) < INF)) return NAN;
  int n;
  Pair r = reduce_turns(x, &n);
  return add(sine_of_quarter(r, n + 1), 0.0);
}
void __nv_sincospi(double x, double* s, double* c) {
  *s = __nv_sinpi(x);
  *c = __nv_cospi(x);
}

double __nv_atan(double x) {
  double a = magnitude(x);
  if (is_nan(x) || a < 0x1p-28) return x;
  if (a > 0x1p60) return with_sign(half_pi.hi, x);
  return with_sign(round_pair(arc({a, 0}, {1, 0})), x);
}
double __nv_atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return NAN;
  double ax = magnitude(x), ay = magnitude(y);
  Pair a;
  if (ay == 0) {
    a = {0, 0};
  } else if (ax == 0 || (is_inf(y) && !is_inf(x))) {
    a = half_pi;
  } else if (is_inf(x)) {
    a = is_inf(y) ? Pair{mul(half_pi.hi, 0.5), mul(half_pi.lo, 0.5)} : Pair{0, 0};
  } else {
    double fx, fy;
    int ex = split_exponent(ax, &fx), ey = split_exponent(ay, &fy);
    // Of one scale, so that no product overflows or loses bits; a quotient too small for that is
    // y/x or 0.
    int d = ey - ex;
    if (d > 64) {
      a = half_pi;
    } else if (d < -64) {
      if (!negative(x)) return with_sign(scale(quotient(fy, fx), d), y);
      a = {0, 0};
    } else {
      a = arc({mul(fy, power2(d)), 0}, {fx, 0});
    }
  }
  if (negative(x)) a = plus(pi, minus(a));
  return with_sign(round_pair(a), y);
}
double __nv_asin(double x) {
  double a = magnitude(x);
  if (!(a <= 1)) return NAN;
  if (a < 0x1p-28) return x;
  Pair c = root(times(sum(1, -a), sum(1, a)));
  return with_sign(round_pair(arc({a, 0}, c)), x);
}
double __nv_acos(double x) {
  double a = magnitude(x);
  if (!(a <= 1)) return NAN;
  Pair t = arc(root(times(sum(1, -a), sum(1, a))), {a, 0});
  return round_pair(negative(x) ? plus(pi, minus(t)) : t);
}
}
