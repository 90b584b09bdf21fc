// Complex numbers as CUDA's C interface has them, for host and device: two floats or two doubles.
//
// Quotients and absolute values are scaled first, so that what is in range does not overflow on the
// way.
#pragma once
#include <math.h>
#include <vector_functions.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define REDFLAG_BOTH static inline __host__ __device__ __attribute__((unused))
#define REDFLAG_COMPLEX(C, R, Name, f, absolute, root)                                           \
  REDFLAG_BOTH C make_##Name(R x, R y) {                                                         \
    return make_##C##_(x, y);                                                                    \
  }                                                                                              \
  REDFLAG_BOTH R cuCreal##f(C a) {                                                               \
    return a.x;                                                                                  \
  }                                                                                              \
  REDFLAG_BOTH R cuCimag##f(C a) {                                                               \
    return a.y;                                                                                  \
  }                                                                                              \
  REDFLAG_BOTH C cuConj##f(C a) {                                                                \
    return make_##C##_(a.x, -a.y);                                                               \
  }                                                                                              \
  REDFLAG_BOTH C cuCadd##f(C a, C b) {                                                           \
    return make_##C##_(a.x + b.x, a.y + b.y);                                                    \
  }                                                                                              \
  REDFLAG_BOTH C cuCsub##f(C a, C b) {                                                           \
    return make_##C##_(a.x - b.x, a.y - b.y);                                                    \
  }                                                                                              \
  REDFLAG_BOTH C cuCmul##f(C a, C b) {                                                           \
    return make_##C##_(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                            \
  }                                                                                              \
  REDFLAG_BOTH C cuCfma##f(C a, C b, C c) {                                                      \
    return cuCadd##f(cuCmul##f(a, b), c);                                                        \
  }                                                                                              \
  REDFLAG_BOTH C cuCdiv##f(C a, C b) {                                                           \
    const R s = 1 / (absolute(b.x) + absolute(b.y));                                             \
    const R ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s, t = 1 / (bx * bx + by * by); \
    return make_##C##_((ax * bx + ay * by) * t, (ay * bx - ax * by) * t);                        \
  }                                                                                              \
  REDFLAG_BOTH R cuCabs##f(C a) {                                                                \
    const R x = absolute(a.x), y = absolute(a.y), most = x > y ? x : y, least = x > y ? y : x;   \
    if (most == 0 || most + least > (R)1e38 * (R)(sizeof(R) == 8 ? 1e270 : 3))                   \
      return most + least;                                                                       \
    const R q = least / most;                                                                    \
    return most * root(1 + q * q);                                                               \
  }
#define make_cuFloatComplex_ make_float2
#define make_cuDoubleComplex_ make_double2
REDFLAG_COMPLEX(cuFloatComplex, float, cuFloatComplex, f, fabsf, sqrtf)
REDFLAG_COMPLEX(cuDoubleComplex, double, cuDoubleComplex, , fabs, sqrt)
#undef make_cuFloatComplex_
#undef make_cuDoubleComplex_
#undef REDFLAG_COMPLEX
REDFLAG_BOTH cuComplex make_cuComplex(float x, float y) {
  return make_float2(x, y);
}
REDFLAG_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_double2(a.x, a.y);
}
REDFLAG_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_float2((float)a.x, (float)a.y);
}
#undef REDFLAG_BOTH
