// Mathematics on the device, of doubles and floats, against the host's long double: within a unit
// in the last place, or as many as the line of a function says.
#include "check.h"

constexpr int kPoints = 384;

// A function of one argument: what the device calls, what the host does, and the arguments, which
// are spread from least to most; two thirds of them get smaller towards 0.
template <typename T, typename F>
__global__ void apply(F f, const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i]);
}
template <typename T, typename F, typename G>
void compare(const char* name, F device, G host, double least, double most, double ulps) {
  check::Buffer<T> x(kPoints), y(kPoints);
  const T special[] = {0, static_cast<T>(-0.0), 1, -1, static_cast<T>(0.5), static_cast<T>(INFINITY), static_cast<T>(-INFINITY), static_cast<T>(NAN)};
  for (int i = 0; i < kPoints; i++) {
    double v = check::between(least, most);
    if (i % 3 != 0 && least <= 0) v *= std::exp2(-static_cast<double>(check::random_bits() % 30));
    x.host[i] = i < 8 ? special[i] : static_cast<T>(v);
  }
  x.upload();
  apply<T><<<(kPoints + 127) / 128, 128>>>(device, x.device, y.device, kPoints);
  y.download();
  for (int i = 0; i < kPoints; i++) check::near<T>(name, x.host[i], y.host[i], host(static_cast<long double>(x.host[i])), ulps);
}

#define ONE(name, call, least, most, ulps)                                      \
  struct Device_##name {                                                        \
    __device__ double operator()(double x) const { return ::name(x); }          \
    __device__ float operator()(float x) const { return ::name##f(x); }         \
  };                                                                            \
  static void test_##name() {                                                   \
    const auto host = [](long double x) -> long double { return call; };        \
    compare<double>(#name, Device_##name(), host, least, most, ulps);           \
    compare<float>(#name "f", Device_##name(), host, least, most, 1);           \
  }
// Turns are taken off before the host's pi is rounded.
static long double turns(long double x) { return 3.14159265358979323846264338327950288L * (x - 2 * rintl(x / 2)); }

ONE(exp, expl(x), -80, 80, 1)
ONE(exp2, exp2l(x), -120, 120, 1)
ONE(exp10, exp10l(x), -35, 35, 1)
ONE(expm1, expm1l(x), -30, 80, 1)
ONE(log, logl(x), 0, 1e30, 1)
ONE(log2, log2l(x), 0, 1e30, 1)
ONE(log10, log10l(x), 0, 1e30, 1)
ONE(log1p, log1pl(x), -1, 1e5, 1)
ONE(sin, sinl(x), -1e6, 1e6, 1)
ONE(cos, cosl(x), -1e6, 1e6, 1)
ONE(tan, tanl(x), -1e6, 1e6, 1)
ONE(cospi, std::fabs(x) == 0.5L ? 0 : cosl(turns(x)), -0.45, 0.45, 1)
ONE(asin, asinl(x), -1, 1, 1)
ONE(acos, acosl(x), -1, 1, 1)
ONE(atan, atanl(x), -1e3, 1e3, 1)
ONE(sinh, sinhl(x), -80, 80, 1)
ONE(cosh, coshl(x), -80, 80, 1)
ONE(tanh, tanhl(x), -20, 20, 1)
ONE(asinh, asinhl(x), -1e6, 1e6, 1)
ONE(acosh, acoshl(x), 1, 1e6, 1)
ONE(atanh, atanhl(x), -1, 1, 1)
ONE(cbrt, cbrtl(x), -1e6, 1e6, 1)
ONE(rcbrt, 1 / cbrtl(x), -1e6, 1e6, 1)
ONE(sqrt, sqrtl(x), 0, 1e6, 0.5)
ONE(rsqrt, 1 / sqrtl(x), 0, 1e6, 1)
ONE(erf, erfl(x), -6, 6, 2)
ONE(erfc, erfcl(x), -5, 9, 2)
ONE(normcdf, erfcl(-x / sqrtl(2)) / 2, -12, 6, 2)
ONE(tgamma, x == floorl(x) && (x < 0 || std::isinf(x)) ? (x > 0 ? x : NAN) : tgammal(x), -20, 30, 2)
ONE(lgamma, lgammal(x), 0, 1e6, 2)
ONE(floor, floorl(x), -1e3, 1e3, 0)
ONE(ceil, ceill(x), -1e3, 1e3, 0)
ONE(trunc, truncl(x), -1e3, 1e3, 0)
ONE(round, roundl(x), -1e3, 1e3, 0)
ONE(rint, rintl(x), -1e3, 1e3, 0)
ONE(logb, logbl(x), -1e6, 1e6, 0)
ONE(fabs, fabsl(x), -1e3, 1e3, 0)

// Inverses: the host takes the result back.
struct Inverses {
  __device__ double operator()(double x) const { return erf(erfinv(x)); }
};
struct InversesOfSmall {
  __device__ double operator()(double x) const { return normcdf(normcdfinv(x)); }
};

// Two arguments.
template <typename F>
__global__ void apply_two(F f, const double* x, const double* y, double* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = f(x[i], y[i]);
}
template <typename F, typename G>
void compare_two(const char* name, F device, G host, double least, double most, double least2, double most2, double ulps) {
  check::Buffer<double> x(kPoints), y(kPoints), z(kPoints);
  for (int i = 0; i < kPoints; i++) x.host[i] = check::between(least, most), y.host[i] = check::between(least2, most2);
  x.upload(), y.upload();
  apply_two<<<(kPoints + 127) / 128, 128>>>(device, x.device, y.device, z.device, kPoints);
  z.download();
  for (int i = 0; i < kPoints; i++)
    check::near<double>(name, x.host[i], z.host[i], host(static_cast<long double>(x.host[i]), static_cast<long double>(y.host[i])), ulps);
}
#define TWO(name, call)                                                                  \
  struct Device_##name {                                                                 \
    __device__ double operator()(double x, double y) const { return ::name(x, y); }      \
  };                                                                                     \
  static long double host_##name(long double x, long double y) { return call; }
TWO(pow, powl(x, y))
TWO(atan2, atan2l(x, y))
TWO(hypot, hypotl(x, y))
TWO(fmod, fmodl(x, y))
TWO(remainder, remainderl(x, y))
TWO(fdim, fdiml(x, y))
TWO(fmin, fminl(x, y))
TWO(fmax, fmaxl(x, y))
TWO(copysign, copysignl(x, y))
TWO(nextafter, nextafter(static_cast<double>(x), static_cast<double>(y)))

// Functions with results in memory.
__global__ void parts(const double* x, double* out, int* whole, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s, c, integral;
  sincos(x[i], &s, &c);
  out[4 * i] = s - sin(x[i]) + (c - cos(x[i]));
  out[4 * i + 1] = frexp(x[i], &whole[2 * i]);
  out[4 * i + 2] = modf(x[i], &integral) + integral;
  out[4 * i + 3] = ldexp(x[i], 40 - i);
  remquo(x[i], 3.0, &whole[2 * i + 1]);
}
static void test_parts() {
  const int n = 128;
  check::Buffer<double> x(n), out(4 * n);
  check::Buffer<int> whole(2 * n);
  for (double& v : x.host) v = check::between(-100, 100);
  x.upload();
  parts<<<1, n>>>(x.device, out.device, whole.device, n);
  out.download(), whole.download();
  for (int i = 0; i < n; i++) {
    int e, q;
    const double m = std::frexp(x.host[i], &e);
    std::remquo(x.host[i], 3.0, &q);
    check::same("sincos", i, out.host[4 * i], 0.0);
    check::same("frexp", i, out.host[4 * i + 1], m);
    check::same("frexp's exponent", i, whole.host[2 * i], e);
    check::same("modf", i, out.host[4 * i + 2], x.host[i]);
    check::same("ldexp", i, out.host[4 * i + 3], std::ldexp(x.host[i], 40 - i));
    check::same("remquo's bits", i, whole.host[2 * i + 1] & 7, q & 7);
  }
}

int main() {
  test_exp(), test_exp2(), test_exp10(), test_expm1(), test_log(), test_log2(), test_log10(), test_log1p();
  test_sin(), test_cos(), test_tan(), test_cospi(), test_asin(), test_acos(), test_atan();
  test_sinh(), test_cosh(), test_tanh(), test_asinh(), test_acosh(), test_atanh();
  test_cbrt(), test_rcbrt(), test_sqrt(), test_rsqrt(), test_erf(), test_erfc(), test_normcdf(), test_tgamma(), test_lgamma();
  test_floor(), test_ceil(), test_trunc(), test_round(), test_rint(), test_logb(), test_fabs();
  compare<double>("erf of erfinv", Inverses(), [](long double x) { return x < -1 || x > 1 ? NAN : x; }, -0.9, 0.9, 2);
  compare<double>("normcdf of normcdfinv", InversesOfSmall(), [](long double x) { return x < 0 || x > 1 ? NAN : x == 0 ? 0 : x; }, 0.05, 0.7, 4);
  compare_two("pow", Device_pow(), host_pow, 0, 20, -200, 200, 1);
  compare_two("atan2", Device_atan2(), host_atan2, -1, 1, -1, 1, 1);
  compare_two("hypot", Device_hypot(), host_hypot, -1e200, 1e200, -1e200, 1e200, 1);
  compare_two("fmod", Device_fmod(), host_fmod, -1e9, 1e9, -3, 3, 0);
  compare_two("remainder", Device_remainder(), host_remainder, -1e9, 1e9, -3, 3, 0);
  compare_two("fdim", Device_fdim(), host_fdim, -1, 1, -1, 1, 1);
  compare_two("fmin", Device_fmin(), host_fmin, -1, 1, -1, 1, 0);
  compare_two("fmax", Device_fmax(), host_fmax, -1, 1, -1, 1, 0);
  compare_two("copysign", Device_copysign(), host_copysign, -1, 1, -1, 1, 0);
  compare_two("nextafter", Device_nextafter(), host_nextafter, -1, 1, -1, 1, 0);
  test_parts();
  return check::finish();
}
