// Mathematical functions of float under the names for double: round(x), fma(x, y, z). clang's
// headers declare these for the device and leave their bodies to a C++ library that has them for
// the device.
#pragma once

#define REDFLAG_DEVICE static __inline__ __device__
#define REDFLAG_FLOAT_1(R, name)   \
  REDFLAG_DEVICE R name(float x) { \
    return ::name##f(x);           \
  }
#define REDFLAG_FLOAT_2(name)                   \
  REDFLAG_DEVICE float name(float x, float y) { \
    return ::name##f(x, y);                     \
  }

REDFLAG_FLOAT_1(float, acosh)
REDFLAG_FLOAT_1(float, asinh)
REDFLAG_FLOAT_1(float, atanh)
REDFLAG_FLOAT_1(float, cbrt)
REDFLAG_FLOAT_1(float, erf)
REDFLAG_FLOAT_1(float, erfc)
REDFLAG_FLOAT_1(float, exp2)
REDFLAG_FLOAT_1(float, expm1)
REDFLAG_FLOAT_1(float, lgamma)
REDFLAG_FLOAT_1(float, log1p)
REDFLAG_FLOAT_1(float, log2)
REDFLAG_FLOAT_1(float, logb)
REDFLAG_FLOAT_1(float, nearbyint)
REDFLAG_FLOAT_1(float, rint)
REDFLAG_FLOAT_1(float, round)
REDFLAG_FLOAT_1(float, tgamma)
REDFLAG_FLOAT_1(float, trunc)
REDFLAG_FLOAT_1(int, ilogb)
REDFLAG_FLOAT_1(long, lrint)
REDFLAG_FLOAT_1(long, lround)
REDFLAG_FLOAT_1(long long, llrint)
REDFLAG_FLOAT_1(long long, llround)
REDFLAG_FLOAT_2(copysign)
REDFLAG_FLOAT_2(fdim)
REDFLAG_FLOAT_2(fmax)
REDFLAG_FLOAT_2(fmin)
REDFLAG_FLOAT_2(hypot)
REDFLAG_FLOAT_2(nextafter)
REDFLAG_FLOAT_2(remainder)
REDFLAG_DEVICE float fma(float x, float y, float z) {
  return ::fmaf(x, y, z);
}
REDFLAG_DEVICE float remquo(float x, float y, int* quotient) {
  return ::remquof(x, y, quotient);
}
REDFLAG_DEVICE float scalbn(float x, int n) {
  return ::scalbnf(x, n);
}
REDFLAG_DEVICE float scalbln(float x, long n) {
  return ::scalblnf(x, n);
}
// The text only sets the payload of the NaN.
REDFLAG_DEVICE double nan(const char*) {
  return __builtin_nan("");
}
REDFLAG_DEVICE float nanf(const char*) {
  return __builtin_nanf("");
}

#undef REDFLAG_FLOAT_1
#undef REDFLAG_FLOAT_2
#undef REDFLAG_DEVICE
