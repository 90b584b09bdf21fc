// The math functions of kernels, compiled for the host, against long double on many points of all
// sizes.
//
// How the device itself computes them is tested on the emulated GPU (tests/cuda/toolkitless), with
// fewer points.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#define ONE(name) double __nv_##name(double)
#define TWO(name) double __nv_##name(double, double)
extern "C" {
ONE(exp);
ONE(exp2);
ONE(exp10);
ONE(expm1);
ONE(log);
ONE(log2);
ONE(log10);
ONE(log1p);
ONE(cbrt);
ONE(rcbrt);
ONE(rsqrt);
ONE(sinh);
ONE(cosh);
ONE(tanh);
ONE(asinh);
ONE(acosh);
ONE(atanh);
ONE(sin);
ONE(cos);
ONE(tan);
ONE(asin);
ONE(acos);
ONE(atan);
ONE(cospi);
ONE(erf);
ONE(erfc);
ONE(erfinv);
ONE(tgamma);
ONE(lgamma);
ONE(normcdf);
ONE(round);
TWO(pow);
TWO(atan2);
TWO(fmod);
TWO(remainder);
TWO(hypot);
TWO(nextafter);
float __nv_expf(float);
float __nv_sinf(float);
float __nv_powf(float, float);
}

namespace {

std::mt19937_64 generator(1);

double between(double least, double most) {
  return least + (most - least) * static_cast<double>(generator() >> 11) * 0x1p-53;
}
// Any finite number, by its bits.
double any() {
  for (;;) {
    const double d = __builtin_bit_cast(double, static_cast<std::uint64_t>(generator()));
    if (std::isfinite(d)) return d;
  }
}
// How far off, in units in the last place of T.
template <typename T>
double off(T found, long double wanted) {
  const T nearest = static_cast<T>(wanted);
  if (std::isnan(nearest)) return std::isnan(found) ? 0 : HUGE_VAL;
  if (found == nearest) return 0;
  const T at = std::fabs(nearest);
  if (!std::isfinite(at)) return HUGE_VAL;
  const T unit = std::nextafter(at, static_cast<T>(HUGE_VAL)) - at;
  if (!std::isfinite(found)) return HUGE_VAL;
  return static_cast<double>(std::fabs(static_cast<long double>(found) - wanted) /
                             static_cast<long double>(unit));
}
// A third of the points from all numbers where the range is wide, a third towards 0.
template <typename F, typename G>
void compare(const char* name, F function, G reference, double least, double most,
             double most_off = 1) {
  const bool wide = most >= 1e300;
  for (int i = 0; i < 60'000; i++) {
    double x = wide ? between(least < 0 ? -40 : least, 40) : between(least, most);
    if (i % 3 == 0 && wide) x = any();
    if (i % 3 == 1 && least <= 0) x *= std::exp2(-static_cast<double>(generator() % 40));
    if (x < least || x > most) continue;
    const long double wanted = reference(static_cast<long double>(x));
    ASSERT_LE(off(function(x), wanted), most_off)
        << name << " of " << x << " gave " << function(x) << ", not " << wanted;
  }
}
#define COMPARE(name, call, ...) \
  compare(#name, __nv_##name, [](long double x) -> long double { return call; }, __VA_ARGS__)
constexpr double kAll = 1e300;

TEST(Libdevice, Exponentials) {
  COMPARE(exp, expl(x), -745, 709);
  COMPARE(exp2, exp2l(x), -1074, 1023);
  COMPARE(exp10, exp10l(x), -320, 308);
  COMPARE(expm1, expm1l(x), -60, 709);
  COMPARE(sinh, sinhl(x), -710, 710);
  COMPARE(cosh, coshl(x), -710, 710);
  COMPARE(tanh, tanhl(x), -25, 25);
}
TEST(Libdevice, LogarithmsAndRoots) {
  COMPARE(log, logl(x), 0, kAll);
  COMPARE(log2, log2l(x), 0, kAll);
  COMPARE(log10, log10l(x), 0, kAll);
  COMPARE(log1p, log1pl(x), -1, kAll);
  COMPARE(asinh, asinhl(x), -kAll, kAll);
  COMPARE(acosh, acoshl(x), 1, kAll);
  COMPARE(atanh, atanhl(x), -1, 1);
  COMPARE(cbrt, cbrtl(x), -kAll, kAll);
  COMPARE(rcbrt, 1 / cbrtl(x), -kAll, kAll);
  COMPARE(rsqrt, 1 / sqrtl(x), 0, kAll);
  COMPARE(round, roundl(x), -kAll, kAll);
}
TEST(Libdevice, Angles) {
  COMPARE(sin, sinl(x), -kAll, kAll);
  COMPARE(cos, cosl(x), -kAll, kAll);
  COMPARE(tan, tanl(x), -kAll, kAll);
  COMPARE(tan, tanl(x), -1e6, 1e6);
  COMPARE(cospi, cosl(x * 3.14159265358979323846264338327950288L), -0.45, 0.45);
  COMPARE(asin, asinl(x), -1, 1);
  COMPARE(acos, acosl(x), -1, 1);
  COMPARE(atan, atanl(x), -kAll, kAll);
}
TEST(Libdevice, ErrorFunctionsAndGamma) {
  COMPARE(erf, erfl(x), -7, 7, 2);
  COMPARE(erfc, erfcl(x), -5, 26, 2);
  COMPARE(normcdf, erfcl(-x / sqrtl(2)) / 2, -37, 8, 2);
  compare(
      "erf of erfinv", [](double x) { return __nv_erf(__nv_erfinv(x)); },
      [](long double x) { return x; }, -0.9, 0.9, 2);
  COMPARE(tgamma, tgammal(x), -30, 171, 2);
  COMPARE(lgamma, lgammal(x), 0, 1e10, 2);
  COMPARE(lgamma, lgammal(x), 0.1, 3, 2);
}
TEST(Libdevice, TwoArguments) {
  for (int i = 0; i < 60'000; i++) {
    const bool all = i % 4 == 0;
    const double x = all ? any() : between(-20, 20), y = all ? any() : between(-3, 3);
    const long double lx = x, ly = y;
    const auto what = [&](const char* name) {
      return testing::Message() << name << " of " << x << " and " << y;
    };
    ASSERT_LE(off(__nv_pow(std::fabs(x), 80 * y), powl(fabsl(lx), 80 * y)), 1) << what("pow");
    ASSERT_LE(off(__nv_pow(x, std::trunc(y * 10)), powl(lx, std::trunc(y * 10))), 1) << what("pow");
    ASSERT_LE(off(__nv_atan2(x, y), atan2l(lx, ly)), 1) << what("atan2");
    ASSERT_LE(off(__nv_hypot(x, y), hypotl(lx, ly)), 1) << what("hypot");
    ASSERT_EQ(__nv_fmod(x, y), std::fmod(x, y)) << what("fmod");
    ASSERT_EQ(__nv_remainder(x, y), std::remainder(x, y)) << what("remainder");
    ASSERT_EQ(__nv_nextafter(x, y), std::nextafter(x, y)) << what("nextafter");
  }
}
TEST(Libdevice, Floats) {
  for (int i = 0; i < 100'000; i++) {
    const float x = static_cast<float>(between(-87, 88)), y = static_cast<float>(any()),
                z = static_cast<float>(between(0, 20));
    ASSERT_LE(off(__nv_expf(x), expl(x)), 0.51) << x;
    if (std::isfinite(y)) ASSERT_LE(off(__nv_sinf(y), sinl(y)), 0.51) << y;
    ASSERT_LE(off(__nv_powf(z, x / 4), powl(z, x / 4)), 0.51) << z << " " << x / 4;
  }
}

}  // namespace
