// Conversions: every 16-bit code, every pair of integer types, floats to integers and back, against exact
// arithmetic.
#include <cmath>

#include "frontends/cuda/values/exact_testing.h"
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Exactly;
using testing::FloatFormat;
using testing::kBf16Format;
using testing::kF16Format;
using testing::kF32Format;
using testing::kF64Format;
using testing::Lanes;
using testing::Mode;
using testing::Operation;
using testing::Values;
__extension__ using Big = __int128;
using u64 = std::uint64_t;

constexpr FloatFormat kTf32Format = {8, 10, 0x3ffff};

struct Float {
  const char* name;
  FloatFormat format;
  char reg;
};
constexpr Float kFloats[] = {{"f16", kF16Format, 'h'},
                             {"bf16", kBf16Format, 'h'},
                             {"f32", kF32Format, 'f'},
                             {"f64", kF64Format, 'd'}};
struct Integer {
  const char* name;
  unsigned bits;
  bool is_signed;
  char reg;
};
constexpr Integer kIntegers[] = {{"u8", 8, false, 'r'},   {"s8", 8, true, 'r'},
                                 {"u16", 16, false, 'h'}, {"s16", 16, true, 'h'},
                                 {"u32", 32, false, 'r'}, {"s32", 32, true, 'r'},
                                 {"u64", 64, false, 'l'}, {"s64", 64, true, 'l'}};
constexpr struct {
  const char* word;
  Mode mode;
} kModes[] = {{"rn", Mode::kNearest}, {"rz", Mode::kZero}, {"rm", Mode::kDown}, {"rp", Mode::kUp}};

std::string one(char reg, int number) {
  return "%" + std::string(1, reg) + std::to_string(number);
}
u64 reference(const FloatFormat& to, const FloatFormat& from, u64 bits, Mode mode) {
  if (from.is_nan(bits)) return to.nan;
  const u64 sign = (bits & from.sign_bit()) != 0 ? to.sign_bit() : 0;
  if (from.is_infinite(bits)) return to.infinity() | sign;
  return rounded(to, decoded(from, bits), mode);
}
// Calls f with 32 sources at a time.
template <typename Next, typename Check>
void in_warps(Operation& op, u64 count, Next next, Check check) {
  if (!op.good()) return;
  for (u64 at = 0; at < count; at += testing::kLanes) {
    Lanes in;
    for (unsigned i = 0; i < testing::kLanes; ++i) in[i] = next(at + i);
    const Lanes out = op.lanes({in})[0];
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      if (!check(in[i], out[i])) return;
    }
  }
}

TEST(Convert, EveryHalfWidens) {
  for (const Float& from : {kFloats[0], kFloats[1]}) {
    for (const Float& to : {kFloats[2], kFloats[3]}) {
      const std::string text =
          std::string("cvt.") + to.name + "." + from.name + " " + one(to.reg, 0) + ", %h1;";
      Operation op(text);
      in_warps(
          op, 65536, [](u64 i) { return i; },
          [&](u64 in, u64 out) {
            if (from.format.is_nan(in) && to.format.nan == 0) {
              EXPECT_TRUE(to.format.is_nan(out)) << text;
            } else {
              EXPECT_EQ(out, reference(to.format, from.format, in, Mode::kNearest))
                  << text << std::hex << in;
            }
            return !::testing::Test::HasFailure();
          });
    }
  }
}
TEST(Convert, Narrowing) {
  struct Pair {
    int to;
    int from;
  };
  for (const Pair& pair :
       {Pair{0, 2}, Pair{1, 2}, Pair{0, 3}, Pair{1, 3}, Pair{2, 3}, Pair{0, 1}, Pair{1, 0}}) {
    const Float& to = kFloats[pair.to];
    const Float& from = kFloats[pair.from];
    for (const auto& mode : kModes) {
      const std::string text = std::string("cvt.") + mode.word + "." + to.name + "." + from.name +
                               " " + one(to.reg, 0) + ", " + one(from.reg, 1) + ";";
      Operation op(text);
      Values values(41);
      const auto e = static_cast<unsigned>(from.format.exponent_bits);
      const auto m = static_cast<unsigned>(from.format.fraction_bits);
      in_warps(
          op, 40000,
          [&](u64 i) {
            // A third of them in the range of the narrow format, at and around ties.
            if (i % 3 != 0) return values.real(e, m);
            const u64 code = values() & 0x7fffU;
            const u64 wide = reference(from.format, kF16Format, code, Mode::kNearest);
            return wide + (values() % 3 - 1) +
                   (values() % 2 == 0 ? u64{1} << (m > 10 ? m - 11 : 0) : 0);
          },
          [&](u64 in, u64 out) {
            EXPECT_EQ(out, reference(to.format, from.format, in, mode.mode))
                << text << std::hex << " " << in;
            return !::testing::Test::HasFailure();
          });
    }
  }
}
TEST(Convert, Tf32) {
  for (const auto& [word, mode] :
       {std::pair{"rna", Mode::kAway}, {"rn", Mode::kNearest}, {"rz", Mode::kZero}}) {
    Operation op(std::string("cvt.") + word + ".tf32.f32 %r0, %f1;");
    Values values(42);
    in_warps(
        op, 20000, [&](u64) { return values.f32(); },
        [&, m = mode](u64 in, u64 out) {
          const u64 want =
              kF32Format.is_nan(in) ? 0x7fffffff : reference(kTf32Format, kF32Format, in, m) << 13;
          EXPECT_EQ(out, want) << word << std::hex << in;
          return !::testing::Test::HasFailure();
        });
  }
}

Big number(u64 bits, unsigned width, bool is_signed) {
  const Big mask = (Big{1} << width) - 1;
  const Big value = static_cast<Big>(bits) & mask;
  return is_signed && (value >> (width - 1)) != 0 ? value - mask - 1 : value;
}
TEST(Convert, AmongIntegersInRegistersOfAnyWidth) {
  for (const Integer& to : kIntegers) {
    for (const Integer& from : kIntegers) {
      for (const bool sat : {false, true}) {
        for (const char to_reg : {'h', 'r', 'l'}) {
          for (const char from_reg : {'h', 'r', 'l'}) {
            const auto width = [](char reg) { return reg == 'h' ? 16U : reg == 'r' ? 32U : 64U; };
            if (width(to_reg) < to.bits || width(from_reg) < from.bits) continue;
            const std::string text = std::string("cvt") + (sat ? ".sat." : ".") + to.name + "." +
                                     from.name + " " + one(to_reg, 0) + ", " + one(from_reg, 1) +
                                     ";";
            Operation op(text);
            Values values(43);
            in_warps(
                op, 128, [&](u64) { return values.integer(width(from_reg)); },
                [&](u64 in, u64 out) {
                  Big value = number(in, from.bits, from.is_signed);
                  if (sat) {
                    const Big most = (Big{1} << (to.bits - (to.is_signed ? 1 : 0))) - 1;
                    const Big least = to.is_signed ? -most - 1 : Big{0};
                    value = value > most ? most : value < least ? least : value;
                  }
                  value = number(static_cast<u64>(value), to.bits,
                                 to.is_signed);  // then extended to the register
                  EXPECT_EQ(out,
                            static_cast<u64>(number(static_cast<u64>(value), width(to_reg), false)))
                      << text << std::hex << " " << in;
                  return !::testing::Test::HasFailure();
                });
          }
        }
      }
    }
  }
}

TEST(Convert, IntegersToFloats) {
  for (const Integer& from : kIntegers) {
    for (const Float& to : kFloats) {
      for (const auto& mode : kModes) {
        const std::string text = std::string("cvt.") + mode.word + "." + to.name + "." + from.name +
                                 " " + one(to.reg, 0) + ", " + one(from.reg, 1) + ";";
        Operation op(text);
        Values values(44);
        in_warps(
            op, 2000,
            [&](u64 i) {
              const u64 any = values.integer(from.bits);
              return i % 2 == 0 ? any : any & ~((u64{1} << (values() % from.bits)) - 1);
            },
            [&](u64 in, u64 out) {
              const Big value = number(in, from.bits, from.is_signed);
              const Exactly exact = {
                  value < 0, static_cast<testing::U128>(value < 0 ? -value : value), 0, false};
              EXPECT_EQ(out, rounded(to.format, exact, mode.mode)) << text << std::hex << " " << in;
              return !::testing::Test::HasFailure();
            });
      }
    }
  }
}
// By long doubles, which hold all of these exactly.
TEST(Convert, FloatsToIntegers) {
  constexpr struct {
    const char* word;
    long double (*round)(long double);
  } kToIntegers[] = {{"rni", [](long double x) { return std::rint(x); }},
                     {"rzi", [](long double x) { return std::trunc(x); }},
                     {"rmi", [](long double x) { return std::floor(x); }},
                     {"rpi", [](long double x) { return std::ceil(x); }}};
  const auto real = [](const FloatFormat& f, u64 bits) {
    const Exactly x = decoded(f, bits);
    const auto size = static_cast<long double>(static_cast<u64>(x.significand));
    return std::ldexp(x.negative ? -size : size, x.exponent);
  };
  for (const Float& from : kFloats) {
    for (const Integer& to : kIntegers) {
      for (const auto& mode : kToIntegers) {
        const std::string text = std::string("cvt.") + mode.word + "." + to.name + "." + from.name +
                                 " " + one(to.reg, 0) + ", " + one(from.reg, 1) + ";";
        Operation op(text);
        Values values(45);
        const FloatFormat& f = from.format;
        in_warps(
            op, 3000,
            [&](u64 i) -> u64 {
              if (i % 2 == 0)
                return values.real(static_cast<unsigned>(f.exponent_bits),
                                   static_cast<unsigned>(f.fraction_bits));
              // Around the limits, and halves.
              const Big edge = Big{1} << (values() % 65);
              const Exactly near = {
                  values() % 2 == 0,
                  static_cast<testing::U128>(2 * edge + static_cast<Big>(values() % 7) - 3), -1,
                  false};
              return rounded(f, near, Mode::kNearest);
            },
            [&](u64 in, u64 out) {
              u64 want = 0;
              const unsigned whole = to.reg == 'h' ? 16 : to.reg == 'r' ? 32 : 64;
              if (f.is_nan(in)) {
                want = to.bits == 64 || from.reg == 'd' ? u64{1} << (to.bits - 1) : 0;
                if (to.is_signed)
                  want = static_cast<u64>(
                      number(static_cast<u64>(number(want, to.bits, true)), whole, false));
              } else {
                const Big most = (Big{1} << (to.bits - (to.is_signed ? 1 : 0))) - 1;
                const Big least = to.is_signed ? -most - 1 : Big{0};
                const long double x = mode.round(
                    f.is_infinite(in) ? ((in & f.sign_bit()) != 0 ? -1e30L : 1e30L) : real(f, in));
                const Big value = x >= 1e25L ? most : x <= -1e25L ? least : static_cast<Big>(x);
                const Big kept = value > most ? most : value < least ? least : value;
                want = static_cast<u64>(number(static_cast<u64>(kept), whole, false));
              }
              EXPECT_EQ(out, want) << text << std::hex << " " << in;
              return !::testing::Test::HasFailure();
            });
      }
    }
  }
}
TEST(Convert, ToIntegralValue) {
  Operation floor("cvt.rmi.f32.f32 %f0, %f1;");
  Operation nearest("cvt.rni.f64.f64 %d0, %d1;");
  Operation sat("cvt.sat.f32.f32 %f0, %f1;");
  Operation ftz("cvt.ftz.f32.f16 %f0, %h1;");
  Values values(46);
  in_warps(
      floor, 2000, [&](u64) { return values.f32(); },
      [&](u64 in, u64 out) {
        if (!kF32Format.is_nan(in)) {
          EXPECT_EQ(out, testing::bits_of(std::floor(testing::as_float(in))));
        }
        return !::testing::Test::HasFailure();
      });
  in_warps(
      nearest, 2000, [&](u64) { return values.f64(); },
      [&](u64 in, u64 out) {
        if (!kF64Format.is_nan(in)) {
          EXPECT_EQ(out, testing::bits_of(std::nearbyint(testing::as_double(in))));
        }
        return !::testing::Test::HasFailure();
      });
  EXPECT_EQ(sat({0x40000000}), 0x3f800000U);
  EXPECT_EQ(sat({0xbf800000}), 0U);
  EXPECT_EQ(sat({0x7fc00000}), 0U);
  EXPECT_EQ(ftz({0x0001}), 0x33800000U);  // no subnormal of f32
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
