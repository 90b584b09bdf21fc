// Approximate functions against the manual's bounds, computed with long doubles; and what it fixes exactly.
// (PTX ISA 9.7.3: "maximum error" of div.approx, rcp.approx, sqrt.approx, rsqrt.approx, sin, cos, lg2, ex2,
// tanh.)
#include <cmath>

#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::as_double;
using testing::as_float;
using testing::bits_of;
using testing::Lanes;
using testing::Operation;
using testing::Values;
using u64 = std::uint64_t;

enum class Measure { kUlp, kRelative, kAbsolute };
struct Bound {
  const char* text;
  unsigned sources;
  long double (*exact)(long double, long double);
  float from, to;  // of the first source
  Measure measure;
  double most;
};
const Bound kBounds[] = {
    {"div.approx.f32 %f0, %f1, %f2;", 2, [](long double a, long double b) { return a / b; }, -1e10F,
     1e10F, Measure::kUlp, 2},
    {"div.full.f32 %f0, %f1, %f2;", 2, [](long double a, long double b) { return a / b; }, -1e10F,
     1e10F, Measure::kUlp, 2},
    {"rcp.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return 1 / a; }, -1e30F, 1e30F,
     Measure::kUlp, 1},
    {"sqrt.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::sqrt(a); }, 0,
     1e30F, Measure::kRelative, 0x1p-23},
    {"rsqrt.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return 1 / std::sqrt(a); },
     1e-30F, 1e30F, Measure::kRelative, 0x1.1p-23},
    {"sin.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::sin(a); }, -6.3F,
     6.3F, Measure::kAbsolute, 0x1.6p-21},
    {"cos.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::cos(a); }, -6.3F,
     6.3F, Measure::kAbsolute, 0x1.6p-21},
    {"lg2.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::log2(a); }, 0.5F,
     2.0F, Measure::kAbsolute, 0x1p-22},
    {"lg2.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::log2(a); }, 2.0F,
     1e30F, Measure::kRelative, 0x1p-22},
    {"ex2.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::exp2(a); }, -120,
     120, Measure::kRelative, 0x1.1p-22},
    {"tanh.approx.f32 %f0, %f1;", 1, [](long double a, long double) { return std::tanh(a); }, -10,
     10, Measure::kRelative, 0x1p-11},
};

TEST(Math, WithinTheManualsBounds) {
  for (const Bound& bound : kBounds) {
    Operation op(bound.text);
    std::mt19937_64 random(61);
    std::uniform_real_distribution<double> linear(bound.from, bound.to);
    std::uniform_real_distribution<double> exponent(-20, 20);
    for (int round = 0; round < 100; ++round) {
      std::vector<Lanes> in(bound.sources);
      for (unsigned i = 0; i < testing::kLanes; ++i) {
        in[0][i] = bits_of(static_cast<float>(linear(random)));
        if (bound.sources > 1) in[1][i] = bits_of(static_cast<float>(std::exp2(exponent(random))));
      }
      const Lanes out = op.lanes(in)[0];
      for (unsigned i = 0; i < testing::kLanes; ++i) {
        const long double want =
            bound.exact(as_float(in[0][i]), bound.sources > 1 ? as_float(in[1][i]) : 0);
        const long double error = std::fabs(as_float(out[i]) - want);
        const long double unit = std::ldexp(1.0L, std::ilogb(want) - 23);
        const long double scaled = bound.measure == Measure::kUlp        ? error / unit
                                   : bound.measure == Measure::kRelative ? error / std::fabs(want)
                                                                         : error;
        ASSERT_LE(scaled, bound.most) << bound.text << " of " << as_float(in[0][i]) << " seed 61";
      }
    }
  }
}
TEST(Math, SpecialValues) {
  struct Row {
    const char* text;
    std::vector<u64> in;
    u64 out;
  };
  const u64 inf = 0x7f800000;
  const u64 minus_inf = 0xff800000;
  const u64 nan = 0x7fffffff;
  const Row rows[] = {
      {"rcp.approx.f32 %f0, %f1;", {0}, inf},
      {"rcp.approx.f32 %f0, %f1;", {0x80000000}, minus_inf},
      {"rcp.approx.f32 %f0, %f1;", {minus_inf}, 0x80000000},
      {"rcp.approx.ftz.f32 %f0, %f1;", {1}, inf},
      {"rcp.approx.ftz.f32 %f0, %f1;", {0x7f000000}, 0},  // 2^-127 is flushed
      {"rcp.approx.f32 %f0, %f1;", {0x7f000000}, 0x00400000},
      {"sqrt.approx.f32 %f0, %f1;", {0xbf800000}, nan},
      {"sqrt.approx.f32 %f0, %f1;", {0x80000000}, 0x80000000},
      {"rsqrt.approx.f32 %f0, %f1;", {0}, inf},
      {"rsqrt.approx.f32 %f0, %f1;", {0x80000000}, minus_inf},
      {"rsqrt.approx.f32 %f0, %f1;", {inf}, 0},
      {"sin.approx.f32 %f0, %f1;", {0x80000000}, 0x80000000},
      {"sin.approx.f32 %f0, %f1;", {inf}, nan},
      {"cos.approx.f32 %f0, %f1;", {0}, 0x3f800000},
      {"lg2.approx.f32 %f0, %f1;", {0}, minus_inf},
      {"lg2.approx.f32 %f0, %f1;", {0xbf800000}, nan},
      {"lg2.approx.ftz.f32 %f0, %f1;", {1}, minus_inf},
      {"lg2.approx.f32 %f0, %f1;", {inf}, inf},
      {"ex2.approx.f32 %f0, %f1;", {minus_inf}, 0},
      {"ex2.approx.f32 %f0, %f1;", {inf}, inf},
      {"ex2.approx.ftz.f32 %f0, %f1;", {0xc2fe0000}, 0},  // 2^-127
      {"ex2.approx.f32 %f0, %f1;", {0xc2fe0000}, 0x00400000},
      {"tanh.approx.f32 %f0, %f1;", {minus_inf}, 0xbf800000},
      {"div.approx.f32 %f0, %f1, %f2;", {0x3f800000, 0x7f000000}, 0},  // divisor above 2^126
      {"div.approx.f32 %f0, %f1, %f2;", {inf, 0x7f000000}, nan},
      {"div.full.f32 %f0, %f1, %f2;", {0x7f000000, 0x7f000000}, 0x3f800000},
      {"div.approx.f32 %f0, %f1, %f2;", {0, 0}, nan},
      {"ex2.approx.f16 %h0, %h1;", {0x3c00}, 0x4000},
      {"ex2.approx.ftz.bf16 %h0, %h1;", {0x4040}, 0x4100},
      {"tanh.approx.f16x2 %r0, %r1;", {0x7c00fc00}, 0x3c00bc00},
      {"rcp.approx.ftz.f64 %d0, %d1;", {0x4000000000000000}, 0x3fe0000000000000},
      {"rcp.approx.ftz.f64 %d0, %d1;", {1}, 0x7ff0000000000000},
      {"rsqrt.approx.f64 %d0, %d1;", {0x4010000000000000}, 0x3fe0000000000000},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Operation(row.text)(row.in), row.out) << row.text << std::hex << " " << row.in[0];
}
// The upper half alone is read and written; the error is below that of 20 bits.
TEST(Math, UpperHalvesOfF64) {
  Operation rcp("rcp.approx.ftz.f64 %d0, %d1;");
  Operation rsqrt("rsqrt.approx.ftz.f64 %d0, %d1;");
  std::mt19937_64 random(62);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 2000; ++i) {
    const double x = std::exp2(exponent(random));
    const u64 a = rcp({bits_of(x)});
    const u64 b = rsqrt({bits_of(x)});
    ASSERT_EQ(a & 0xffffffffU, 0U);
    ASSERT_EQ(b & 0xffffffffU, 0U);
    ASSERT_LE(std::fabs(as_double(a) * x - 1), 0x1p-18);
    ASSERT_LE(std::fabs(as_double(b) * std::sqrt(x) - 1), 0x1p-18);
  }
}
TEST(Math, Halves) {
  Operation tanh16("tanh.approx.f16 %h0, %h1;");
  Operation ex2("ex2.approx.f16 %h0, %h1;");
  for (u64 h = 0; h < 0x7c00; h += 7) {
    const auto size = static_cast<long double>(h & 1023U) + (h >= 1024 ? 1024 : 0);
    const long double x = std::ldexp(size, std::max(static_cast<int>(h >> 10), 1) - 25);
    const auto value = [](u64 y) {
      const auto s = static_cast<long double>(y & 1023U) + ((y & 0x7c00U) != 0 ? 1024 : 0);
      return std::ldexp(s, std::max(static_cast<int>(y >> 10 & 31U), 1) - 25);
    };
    ASSERT_LE(std::fabs(value(tanh16({h})) - std::tanh(x)), 0x1p-10 * 1.01) << h;
    if (x < 15) {
      ASSERT_LE(std::fabs(value(ex2({h})) / std::exp2(x) - 1), 0x1p-9) << h;
    }
  }
}

}  // namespace
}  // namespace redflag::cuda
