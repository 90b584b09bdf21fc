// What the math functions are made of: the bits of numbers, exact sums and products, and pairs of
// doubles.
//
// A pair is the unevaluated sum of two doubles, the second at most half a unit in the last place of
// the first; it carries about 104 bits. The functions here are good to a few units of 2^-100, which
// leaves their callers room to be right to less than one unit of a double. The device's forms name
// their rounding, so that no later step of the compiler joins a product and a sum; on the host, for
// tests, the file is compiled without such joining. Functions that are not inlined take pairs by
// reference: a structure passed by value would have an address among the parameters, which not
// every reader of PTX knows.
#pragma once

#define INNER static inline __attribute__((always_inline, unused))

// What is one instruction or few is inlined into kernels.
#ifdef __NVPTX__
#define EXACT __attribute__((always_inline, const))
INNER double mul(double a, double b) {
  return __nvvm_mul_rn_d(a, b);
}
INNER double add(double a, double b) {
  return __nvvm_add_rn_d(a, b);
}
INNER double root(double a) {
  return __nvvm_sqrt_rn_d(a);
}
INNER double quotient(double a, double b) {
  return __nvvm_div_rn_d(a, b);
}
#else
#define EXACT __attribute__((const))
INNER double mul(double a, double b) {
  return a * b;
}
INNER double add(double a, double b) {
  return a + b;
}
INNER double root(double a) {
  return __builtin_sqrt(a);
}
INNER double quotient(double a, double b) {
  return a / b;
}
#endif
INNER double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

typedef unsigned long long Bits;
INNER Bits bits(double a) {
  return __builtin_bit_cast(Bits, a);
}
INNER double real(Bits a) {
  return __builtin_bit_cast(double, a);
}
INNER double magnitude(double a) {
  return real(bits(a) & ~0ull >> 1);
}
INNER bool negative(double a) {
  return bits(a) >> 63;
}
INNER double with_sign(double a, double sign) {
  return real((bits(a) & ~0ull >> 1) | (bits(sign) & 1ull << 63));
}
INNER bool is_nan(double a) {
  return (bits(a) & ~0ull >> 1) > 0x7ffull << 52;
}
INNER bool is_inf(double a) {
  return (bits(a) & ~0ull >> 1) == 0x7ffull << 52;
}
#define INF __builtin_inf()
#define NAN __builtin_nan("")

// 2^n for n from -1022 to 1023.
INNER double power2(int n) {
  return real((Bits)(n + 1023) << 52);
}
// a * 2^n, rounded once.
INNER double scale(double a, int n) {
  if (n > 1023) {
    a = mul(a, power2(1023)), n -= 1023;
    if (n > 1023) {
      a = mul(a, power2(1023)), n -= 1023;
      if (n > 1023) n = 1023;
    }
  } else if (n < -1022) {
    // By less than all, so that what falls below the smallest normal number is rounded in the last
    // step only.
    a = mul(a, power2(-1022 + 53)), n += 1022 - 53;
    if (n < -1022) {
      a = mul(a, power2(-1022 + 53)), n += 1022 - 53;
      if (n < -1022) n = -1022;
    }
  }
  return mul(a, power2(n));
}
// The exponent of a finite number other than 0, and the number brought into [1, 2).
INNER int split_exponent(double a, double* fraction) {
  Bits b = bits(a);
  int extra = 0;
  if ((b >> 52 & 0x7ff) == 0) b = bits(mul(a, power2(54))), extra = 54;
  *fraction = real((b & ~(0x7ffull << 52)) | 0x3ffull << 52);
  return (int)(b >> 52 & 0x7ff) - 1023 - extra;
}

struct Pair {
  double hi, lo;
};
// a + b exactly, where |a| >= |b|.
INNER Pair fast_sum(double a, double b) {
  double s = add(a, b);
  return {s, add(b, -add(s, -a))};
}
// a + b exactly.
INNER Pair sum(double a, double b) {
  double s = add(a, b), v = add(s, -a);
  return {s, add(add(a, -add(s, -v)), add(b, -v))};
}
// a * b exactly.
INNER Pair product(double a, double b) {
  double p = mul(a, b);
  return {p, fma(a, b, -p)};
}
INNER Pair plus(Pair a, Pair b) {
  Pair s = sum(a.hi, b.hi), t = sum(a.lo, b.lo);
  s = fast_sum(s.hi, add(s.lo, t.hi));
  return fast_sum(s.hi, add(s.lo, t.lo));
}
INNER Pair plus(Pair a, double b) {
  Pair s = sum(a.hi, b);
  return fast_sum(s.hi, add(s.lo, a.lo));
}
INNER Pair minus(Pair a) {
  return {-a.hi, -a.lo};
}
INNER Pair times(Pair a, Pair b) {
  Pair p = product(a.hi, b.hi);
  return fast_sum(p.hi, add(p.lo, fma(a.hi, b.lo, mul(a.lo, b.hi))));
}
INNER Pair times(Pair a, double b) {
  Pair p = product(a.hi, b);
  return fast_sum(p.hi, fma(a.lo, b, p.lo));
}
INNER Pair over(Pair a, Pair b) {
  double q = quotient(a.hi, b.hi);
  Pair r = plus(a, minus(times(b, q)));
  return fast_sum(q, quotient(add(r.hi, r.lo), b.hi));
}
INNER Pair root(Pair a) {
  if (a.hi <= 0) return {0, 0};
  double r = root(a.hi);
  Pair rest = plus(a, minus(product(r, r)));
  return fast_sum(r, quotient(add(rest.hi, rest.lo), mul(2, r)));
}
INNER double round_pair(Pair a) {
  return add(a.hi, a.lo);
}
// The nearest integer of a number below 2^51, and the same as an int.
INNER double nearest(double a) {
  return add(add(a, 0x1.8p52), -0x1.8p52);
}
