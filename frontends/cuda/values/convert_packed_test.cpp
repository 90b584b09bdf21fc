// Conversions to and from packed and tiny formats: every f16 and every code, by looking for the nearest.
#include <cmath>

#include "frontends/cuda/values/exact_testing.h"
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Exactly;
using testing::FloatFormat;
using testing::kF16Format;
using testing::kF32Format;
using testing::kF64Format;
using testing::Lanes;
using testing::Mode;
using testing::Operation;
using u64 = std::uint64_t;

std::string one(char reg, int number) {
  return "%" + std::string(1, reg) + std::to_string(number);
}
u64 reference(const FloatFormat& to, const FloatFormat& from, u64 bits, Mode mode) {
  if (from.is_nan(bits)) return to.nan;
  const u64 sign = (bits & from.sign_bit()) != 0 ? to.sign_bit() : 0;
  if (from.is_infinite(bits)) return to.infinity() | sign;
  return rounded(to, decoded(from, bits), mode);
}

// The value of a code of few bits, by the definition of its format.
struct Tiny {
  const char* name;
  int exponent_bits;
  int fraction_bits;
  unsigned most;
  char reg;
  unsigned bits;
  bool has_infinity;
  bool has_nan;
};
constexpr Tiny kTiny[] = {{"e4m3x2", 4, 3, 0x7e, 'h', 8, false, true},
                          {"e5m2x2", 5, 2, 0x7b, 'h', 8, true, true},
                          {"e3m2x2", 3, 2, 0x1f, 'h', 8, false, false},
                          {"e2m3x2", 2, 3, 0x1f, 'h', 8, false, false},
                          {"e2m1x2", 2, 1, 0x07, 'c', 4, false, false}};
double tiny_value(const Tiny& t, unsigned code) {
  const unsigned field = code >> t.fraction_bits;
  const unsigned fraction = code & ((1U << t.fraction_bits) - 1);
  const int bias = (1 << (t.exponent_bits - 1)) - 1;
  return field == 0 ? std::ldexp(fraction, 1 - bias - t.fraction_bits)
                    : std::ldexp((1U << t.fraction_bits) + fraction,
                                 static_cast<int>(field) - bias - t.fraction_bits);
}
// The nearest code, by looking at all of them; of two equally near ones the even.
unsigned nearest_code(const Tiny& t, double size) {
  unsigned best = 0;
  for (unsigned code = 1; code <= t.most; ++code) {
    const double d = std::fabs(tiny_value(t, code) - size);
    const double old = std::fabs(tiny_value(t, best) - size);
    if (d < old || (d == old && code % 2 == 0)) best = code;
  }
  return best;
}
TEST(Convert, TinyFormats) {
  for (const Tiny& t : kTiny) {
    const std::string small = one(t.reg, 0);
    Operation narrow(std::string("cvt.rn.satfinite.") + t.name + ".f16x2 " + small + ", %r1;");
    Operation pack(std::string("cvt.rn.satfinite.") + t.name + ".f32 " + small + ", %f1, %f2;");
    Operation widen(std::string("cvt.rn.f16x2.") + t.name + " %r0, " + one(t.reg, 1) + ";");
    const unsigned sign = 1U << (t.exponent_bits + t.fraction_bits);
    const auto expected = [&](u64 half) -> u64 {
      if (kF16Format.is_nan(half)) return t.has_nan ? 0x7f : t.most;
      const u64 negative = (half & 0x8000U) != 0 ? sign : 0;
      if (kF16Format.is_infinite(half)) return negative | t.most;
      const Exactly x = decoded(kF16Format, half);
      return negative |
             nearest_code(
                 t, std::ldexp(static_cast<double>(static_cast<u64>(x.significand)), x.exponent));
    };
    // Every f16, low and high; and the same through f32.
    for (u64 at = 0; at < 65536; at += testing::kLanes) {
      Lanes pair;
      Lanes low;
      Lanes high;
      for (unsigned i = 0; i < testing::kLanes; ++i) {
        const u64 other = (at + i) * 40503U & 0xffffU;
        pair[i] = other << 16 | (at + i);
        low[i] = reference(kF32Format, kF16Format, at + i, Mode::kNearest);
        high[i] = reference(kF32Format, kF16Format, other, Mode::kNearest);
      }
      const Lanes out = narrow.lanes({pair})[0];
      const Lanes packed = pack.lanes({high, low})[0];
      for (unsigned i = 0; i < testing::kLanes; ++i) {
        const u64 want = expected(pair[i] >> 16) << t.bits | expected(pair[i] & 0xffffU);
        ASSERT_EQ(out[i], want) << t.name << std::hex << " " << pair[i];
        ASSERT_EQ(packed[i], want) << t.name << std::hex << " " << pair[i];
      }
    }
    // Every code back.
    for (u64 code = 0; code < (u64{1} << t.bits); ++code) {
      const unsigned size = static_cast<unsigned>(code) & (sign - 1);
      if (code >= 2 * sign) continue;  // bits above the format
      const u64 out = widen({code << t.bits | code});
      u64 want = 0;
      if (t.has_nan && size > t.most) {
        want = t.has_infinity && size == t.most + 1 ? 0x7c00U | (code & sign) << 8 : 0x7fffU;
      } else {
        const auto bits = testing::bits_of(tiny_value(t, size));
        want = reference(kF16Format, kF64Format, bits, Mode::kNearest) |
               ((code & sign) != 0 ? 0x8000U : 0);
      }
      EXPECT_EQ(out, want << 16 | want) << t.name << std::hex << " " << code;
    }
  }
}
TEST(Convert, Packs) {
  Operation halves("cvt.rn.f16x2.f32 %r0, %f1, %f2;");
  EXPECT_EQ(halves({0x3f800000, 0x40000000}), 0x3c004000U);
  Operation relu("cvt.rz.relu.bf16x2.f32 %r0, %f1, %f2;");
  EXPECT_EQ(relu({0xbf800000, 0x3fffffff}), 0x00003fffU);
  Operation finite("cvt.rn.satfinite.f16.f32 %h0, %f1;");
  EXPECT_EQ(finite({0x7f800000}), 0x7bffU);
  Operation powers("cvt.rp.satfinite.ue8m0x2.f32 %h0, %f1, %f2;");
  EXPECT_EQ(powers({0x3f800000, 0x3f800001}), 0x7f80U);
  EXPECT_EQ(powers({0x7fc00000, 0x7f800000}), 0xfffeU);
  Operation back("cvt.rn.bf16x2.ue8m0x2 %r0, %h1;");
  EXPECT_EQ(back({0x7f80}), 0x3f804000U);
  EXPECT_EQ(Operation("cvt.pack.sat.u16.s32 %r0, %r1, %r2;")({0xffffffff, 0x12345}), 0x0000ffffU);
  EXPECT_EQ(Operation("cvt.pack.sat.s16.s32 %r0, %r1, %r2;")({0x80000000, 0x7fff}), 0x80007fffU);
  EXPECT_EQ(Operation("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;")({300, 0xfffffff0, 0xabcd1234}),
            0x1234ff00U);
  EXPECT_EQ(Operation("cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3;")({100, 0xffffff00, 0xabcdef12}),
            0xcdef1278U);
}

}  // namespace
}  // namespace redflag::cuda
