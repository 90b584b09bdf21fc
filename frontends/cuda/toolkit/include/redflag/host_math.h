// Mathematical functions of CUDA that the C library does not have, for the host: code for both
// sides may call them.
//
// Missing: the inverses of the error functions and erfcx.
#pragma once

#define REDFLAG_HOST static inline __host__ __attribute__((unused))
REDFLAG_HOST double rsqrt(double x) {
  return 1 / ::sqrt(x);
}
REDFLAG_HOST double rcbrt(double x) {
  return 1 / ::cbrt(x);
}
REDFLAG_HOST double rhypot(double x, double y) {
  return 1 / ::hypot(x, y);
}
REDFLAG_HOST double norm3d(double x, double y, double z) {
  return ::hypot(::hypot(x, y), z);
}
REDFLAG_HOST double rnorm3d(double x, double y, double z) {
  return 1 / ::norm3d(x, y, z);
}
REDFLAG_HOST double norm4d(double x, double y, double z, double w) {
  return ::hypot(::hypot(x, y), ::hypot(z, w));
}
REDFLAG_HOST double rnorm4d(double x, double y, double z, double w) {
  return 1 / ::norm4d(x, y, z, w);
}
REDFLAG_HOST double normcdf(double x) {
  return ::erfc(x * -0.70710678118654752440) / 2;
}
// The turns are taken off first, and what is left is brought to an eighth of a turn, where the
// result is exact at its ends.
REDFLAG_HOST double sinpi(double x) {
  const double r = ::remainder(x, 2), a = ::fabs(r), b = a > 0.5 ? 1 - a : a;
  const double s =
      b > 0.25 ? ::cos((0.5 - b) * 3.14159265358979323846) : ::sin(b * 3.14159265358979323846);
  return ::copysign(s, r);
}
REDFLAG_HOST double cospi(double x) {
  const double a = ::fabs(::remainder(x, 2));
  return a > 0.75 || a < 0.25 ? ::cos(a * 3.14159265358979323846)
                              : ::sin((0.5 - a) * 3.14159265358979323846);
}
REDFLAG_HOST void sincospi(double x, double* s, double* c) {
  *s = ::sinpi(x), *c = ::cospi(x);
}

REDFLAG_HOST float rsqrtf(float x) {
  return (float)::rsqrt((double)x);
}
REDFLAG_HOST float rcbrtf(float x) {
  return (float)::rcbrt((double)x);
}
REDFLAG_HOST float rhypotf(float x, float y) {
  return (float)::rhypot((double)x, (double)y);
}
REDFLAG_HOST float norm3df(float x, float y, float z) {
  return (float)::norm3d((double)x, (double)y, (double)z);
}
REDFLAG_HOST float rnorm3df(float x, float y, float z) {
  return (float)::rnorm3d((double)x, (double)y, (double)z);
}
REDFLAG_HOST float norm4df(float x, float y, float z, float w) {
  return (float)::norm4d((double)x, (double)y, (double)z, (double)w);
}
REDFLAG_HOST float rnorm4df(float x, float y, float z, float w) {
  return 1 / ::norm4df(x, y, z, w);
}
REDFLAG_HOST float normcdff(float x) {
  return (float)::normcdf((double)x);
}
REDFLAG_HOST float sinpif(float x) {
  return (float)::sinpi((double)x);
}
REDFLAG_HOST float cospif(float x) {
  return (float)::cospi((double)x);
}
REDFLAG_HOST void sincospif(float x, float* s, float* c) {
  *s = ::sinpif(x), *c = ::cospif(x);
}
#undef REDFLAG_HOST
