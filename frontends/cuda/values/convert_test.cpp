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
  if (from.is_nan(bits) && from.fraction_bits == 52 &&
      to.fraction_bits == 23) {  // an H200 keeps its bits
    return (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x3fffff);
  }
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
          const u64 want = kF32Format.is_nan(in)
                               ? (m == Mode::kAway ? in & 0xffffe000U : u64{0x7fffe000})
                               : reference(kTf32Format, kF32Format, in, m) << 13;
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

}  // namespace
}  // namespace redflag::cuda
