// Floats of every format against exact arithmetic, in all roundings.
#include <cmath>

#include "frontends/cuda/values/exact_testing.h"
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::FloatFormat;
using testing::kBf16Format;
using testing::kF16Format;
using testing::kF32Format;
using testing::kF64Format;
using testing::Lanes;
using testing::Mode;
using testing::Operation;
using testing::Values;

struct Rounding {
  const char* word;
  Mode mode;
};
constexpr Rounding kRoundings[] = {
    {"rn", Mode::kNearest}, {"rz", Mode::kZero}, {"rm", Mode::kDown}, {"rp", Mode::kUp}};

std::uint64_t flushed(const FloatFormat& f, std::uint64_t bits) {
  return (bits & f.infinity()) == 0 ? bits & f.sign_bit() : bits;
}
std::uint64_t saturated(const FloatFormat& f, std::uint64_t bits) {
  const std::uint64_t one = static_cast<std::uint64_t>(f.bias()) << f.fraction_bits;
  if (f.is_nan(bits) || (bits & f.sign_bit()) != 0) return 0;
  return std::min(bits, one);
}

using Reference = std::uint64_t (*)(const FloatFormat&, const std::uint64_t*, Mode);
struct Kind {
  const char* op;
  unsigned sources;
  Reference reference;
  bool saturates;
};
const Kind kKinds[] = {
    {"add", 2,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) {
       return exact_fma(f, v[0], 0, v[1], m, true);
     },
     true},
    {"sub", 2,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) {
       return exact_fma(f, v[0], 0, v[1] ^ f.sign_bit(), m, true);
     },
     true},
    {"mul", 2,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) {
       return exact_mul(f, v[0], v[1], m);
     },
     true},
    {"fma", 3,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) {
       return exact_fma(f, v[0], v[1], v[2], m);
     },
     true},
    {"div", 2,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) {
       return exact_div(f, v[0], v[1], m);
     },
     false},
    {"sqrt", 1,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) { return exact_sqrt(f, v[0], m); },
     false},
    {"rcp", 1,
     [](const FloatFormat& f, const std::uint64_t* v, Mode m) {
       return exact_div(f, static_cast<std::uint64_t>(f.bias()) << f.fraction_bits, v[0], m);
     },
     false},
};

// Whether the result, rounded as if exponents had no end, is below the normal range.
bool is_tiny(const Kind& kind, const FloatFormat& f, const std::uint64_t* v, Mode mode) {
  const FloatFormat wide = {11, f.fraction_bits, ~std::uint64_t{0}};
  std::uint64_t in[3] = {};
  for (unsigned k = 0; k < kind.sources; ++k) {
    if (f.is_nan(v[k]) || f.is_infinite(v[k])) return false;
    in[k] = rounded(wide, decoded(f, v[k]), mode);
  }
  const std::uint64_t field = (kind.reference(wide, in, mode) & wide.infinity()) >> f.fraction_bits;
  return field < static_cast<std::uint64_t>(wide.bias() + 1 - f.bias());
}

struct Form {
  const char* type;
  FloatFormat format;
  char reg;
};

void check(const std::string& text, const Kind& kind, const Form& form, Mode mode, bool ftz,
           bool sat, int rounds) {
  Operation op(text);
  if (!op.good()) return;
  const FloatFormat& f = form.format;
  Values values(21);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Lanes> in(kind.sources);
    for (Lanes& each : in) {
      for (std::uint64_t& v : each) {
        v = values.real(static_cast<unsigned>(f.exponent_bits),
                        static_cast<unsigned>(f.fraction_bits));
      }
    }
    // Operands that nearly cancel, and neighbours in exponent.
    if (kind.sources > 1 && round % 3 == 0) {
      for (unsigned i = 0; i < testing::kLanes; ++i)
        in[kind.sources - 1][i] = in[0][i] ^ (values() & 3U) ^ f.sign_bit();
    }
    const std::vector<Lanes> out = op.lanes(in);
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      std::uint64_t v[3] = {};
      for (unsigned k = 0; k < kind.sources; ++k) v[k] = ftz ? flushed(f, in[k][i]) : in[k][i];
      std::uint64_t want = kind.reference(f, v, mode);
      if (want == 0 && f.nan == 0 && f.is_nan(out[0][i])) {
        want = out[0][i];  // any NaN will do, but there must be a reason for one
        ASSERT_TRUE(f.is_nan(v[0]) || f.is_nan(v[1]) || f.is_nan(v[2]) ||
                    kind.reference(f, v, mode) == f.nan);
      }
      if (sat) want = saturated(f, want);
      if (ftz && is_tiny(kind, f, v, mode)) want &= f.sign_bit();
      ASSERT_EQ(out[0][i], want) << text << std::hex << " a=" << v[0] << " b=" << v[1]
                                 << " c=" << v[2];
    }
  }
}
std::string registers(char reg, unsigned sources) {
  std::string text;
  for (unsigned i = 0; i <= sources; ++i)
    text += (i != 0 ? ", %" : " %") + std::string(1, reg) + std::to_string(i);
  return text + ";";
}

TEST(Real, EveryRoundingOfF32AndF64) {
  for (const Form& form : {Form{"f32", kF32Format, 'f'}, Form{"f64", kF64Format, 'd'}}) {
    for (const Kind& kind : kKinds) {
      for (const Rounding& r : kRoundings) {
        const std::string text = std::string(kind.op) + "." + r.word + "." + form.type +
                                 registers(form.reg, kind.sources);
        check(text, kind, form, r.mode, false, false, 200);
      }
    }
  }
}
TEST(Real, FlushingAndSaturating) {
  const Form form = {"f32", kF32Format, 'f'};
  for (const Kind& kind : kKinds) {
    for (const Rounding& r : kRoundings) {
      const std::string head = std::string(kind.op) + "." + r.word;
      const std::string tail = ".f32" + registers('f', kind.sources);
      check(head + ".ftz" + tail, kind, form, r.mode, true, false, 60);
      if (!kind.saturates) continue;
      check(head + ".sat" + tail, kind, form, r.mode, false, true, 60);
      check(head + ".ftz.sat" + tail, kind, form, r.mode, true, true, 60);
    }
  }
}
TEST(Half, Arithmetic) {
  for (const Form& form : {Form{"f16", kF16Format, 'h'}, Form{"bf16", kBf16Format, 'h'}}) {
    for (unsigned k = 0; k < 4; ++k) {
      const Kind& kind = kKinds[k];
      const std::string head = std::string(kind.op) + ".rn";
      const std::string tail = std::string(".") + form.type + registers('h', kind.sources);
      check(head + tail, kind, form, Mode::kNearest, false, false, 3000);
      check(head + ".ftz" + tail, kind, form, Mode::kNearest, true, false, 200);
      check(head + ".sat" + tail, kind, form, Mode::kNearest, false, true, 200);
    }
  }
}
// A product just above the middle of two neighbours, and an addend far below: the case that rounding
// twice gets wrong.
TEST(Half, RoundsOnce) {
  Operation f16("fma.rn.f16 %h0, %h1, %h2, %h3;");
  // (1 + 2^-10) * (1 + 2^-1) = 1.5 + 2^-10 + 2^-11: halfway between two f16.
  EXPECT_EQ(f16({0x3c01, 0x3e00, 0x0001}), 0x3e02U);  // and 2^-24 more: up
  EXPECT_EQ(f16({0x3c01, 0x3e00, 0x8001}), 0x3e01U);  // and 2^-24 less: down
  EXPECT_EQ(f16({0x3c01, 0x3e00, 0x0000}), 0x3e02U);  // tie: to even
  Operation bf16("fma.rn.bf16 %h0, %h1, %h2, %h3;");
  EXPECT_EQ(bf16({0x3f81, 0x3fc0, 0x0001}), 0x3fc2U);
  EXPECT_EQ(bf16({0x3f81, 0x3fc0, 0x8001}), 0x3fc1U);
  EXPECT_EQ(bf16({0x3f81, 0x3fc0, 0x0000}), 0x3fc2U);
}
TEST(Half, Relu) {
  Operation fma("fma.rn.relu.f16 %h0, %h1, %h2, %h3;");
  EXPECT_EQ(fma({0x3c00, 0x3c00, 0xc000}), 0U);       // 1 * 1 - 2
  EXPECT_EQ(fma({0x3c00, 0x3c00, 0x3c00}), 0x4000U);  // 2
  EXPECT_EQ(fma({0x7e00, 0x3c00, 0x3c00}), 0x7fffU);
  Operation pair("fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;");
  EXPECT_EQ(pair({0x3f803f80, 0x3f803f80, 0xc0003f80}), 0x00004000U);
}
TEST(Half, PairsAreTwoSingles) {
  for (const std::string type : {"f16", "bf16"}) {
    for (const std::string op : {"add", "sub", "mul", "fma.rn", "min", "max.NaN", "min.xorsign.abs",
                                 "max.ftz", "neg", "abs"}) {
      const unsigned sources = op == "fma.rn" ? 3 : op == "neg" || op == "abs" ? 1 : 2;
      Operation single(op + "." + type + registers('h', sources));
      Operation pair(op + "." + type + "x2" + registers('r', sources));
      Values values(22);
      for (int round = 0; round < 100; ++round) {
        std::vector<Lanes> low(sources);
        std::vector<Lanes> high(sources);
        std::vector<Lanes> both(sources);
        for (unsigned k = 0; k < sources; ++k) {
          for (unsigned i = 0; i < testing::kLanes; ++i) {
            low[k][i] = type == "f16" ? values.f16() : values.bf16();
            high[k][i] = type == "f16" ? values.f16() : values.bf16();
            both[k][i] = high[k][i] << 16 | low[k][i];
          }
        }
        const Lanes l = single.lanes(low)[0];
        const Lanes h = single.lanes(high)[0];
        const Lanes p = pair.lanes(both)[0];
        for (unsigned i = 0; i < testing::kLanes; ++i) ASSERT_EQ(p[i], h[i] << 16 | l[i]) << op;
      }
    }
  }
}

// -0 below +0, numbers before NaN; the sign by exclusive or of both.
std::uint64_t extreme(const FloatFormat& f, std::uint64_t a, std::uint64_t b, bool most, bool nan,
                      bool xorsign) {
  const std::uint64_t size = f.sign_bit() - 1;
  const std::uint64_t sign = (a ^ b) & f.sign_bit();
  if (xorsign) {
    a &= size;
    b &= size;
  }
  // Of two NaN f64 gives the second, made quiet.
  const std::uint64_t canonical = f.nan != 0 ? f.nan : b | 0x0008000000000000;
  if (f.is_nan(a) && f.is_nan(b)) return canonical;
  if (nan && (f.is_nan(a) || f.is_nan(b))) return canonical;
  std::uint64_t best = 0;
  if (f.is_nan(a) || f.is_nan(b)) {
    best = f.is_nan(a) ? b : a;
  } else {
    const auto key = [&](std::uint64_t x) {
      return (x & f.sign_bit()) != 0 ? -static_cast<double>(x & size) - 1
                                     : static_cast<double>(x & size);
    };
    best = (key(a) < key(b)) != most ? a : b;
    if (key(a) == key(b)) best = a;
  }
  return xorsign ? best | sign : best;
}
TEST(Real, MinimumAndMaximum) {
  for (const Form& form : {Form{"f32", kF32Format, 'f'}, Form{"f64", kF64Format, 'd'},
                           Form{"f16", kF16Format, 'h'}, Form{"bf16", kBf16Format, 'h'}}) {
    const FloatFormat& f = form.format;
    for (const bool most : {false, true}) {
      for (const bool nan : {false, true}) {
        for (const bool xorsign : {false, true}) {
          if (f.exponent_bits == 11 && (nan || xorsign)) continue;
          const std::string text = std::string(most ? "max" : "min") + (nan ? ".NaN" : "") +
                                   (xorsign ? ".xorsign.abs" : "") + "." + form.type +
                                   registers(form.reg, 2);
          Operation op(text);
          Values values(23);
          for (int round = 0; round < 100; ++round) {
            std::vector<Lanes> in(2);
            for (unsigned i = 0; i < testing::kLanes; ++i) {
              const auto e = static_cast<unsigned>(f.exponent_bits);
              const auto m = static_cast<unsigned>(f.fraction_bits);
              in[0][i] = values.real(e, m);
              in[1][i] = i % 4 == 0 ? in[0][i] ^ f.sign_bit() : values.real(e, m);
            }
            const Lanes out = op.lanes(in)[0];
            for (unsigned i = 0; i < testing::kLanes; ++i) {
              // f64 gives the order of keys of 63 bits, which a double cannot tell apart: skip near ones.
              if (f.exponent_bits == 11 && (in[0][i] ^ in[1][i]) < 4096) continue;
              ASSERT_EQ(out[i], extreme(f, in[0][i], in[1][i], most, nan, xorsign))
                  << text << std::hex << " " << in[0][i] << " " << in[1][i];
            }
          }
        }
      }
    }
  }
  Operation three("max.f32 %f0, %f1, %f2, %f3;");
  EXPECT_EQ(three({0x3f800000, 0x40400000, 0x40000000}), 0x40400000U);
}

TEST(Real, SignsAndProperties) {
  EXPECT_EQ(Operation("neg.f32 %f0, %f1;")({0x3f800000}), 0xbf800000U);
  EXPECT_EQ(Operation("neg.ftz.f32 %f0, %f1;")({0x00000001}), 0x80000000U);
  EXPECT_EQ(Operation("abs.f64 %d0, %d1;")({0xbff0000000000000}), 0x3ff0000000000000U);
  EXPECT_EQ(Operation("copysign.f32 %f0, %f1, %f2;")({0x80000000, 0x3f800000}), 0xbf800000U);
  struct Row {
    const char* word;
    int expected[7];
  };
  const std::uint64_t values[7] = {0x3f800000, 0x00000001, 0,         0x7f800000,
                                   0xff800000, 0x7fc00000, 0x807fffff};
  const Row rows[] = {{"finite", {1, 1, 1, 0, 0, 0, 1}}, {"infinite", {0, 0, 0, 1, 1, 0, 0}},
                      {"number", {1, 1, 1, 1, 1, 0, 1}}, {"notanumber", {0, 0, 0, 0, 0, 1, 0}},
                      {"normal", {1, 0, 1, 0, 0, 0, 0}}, {"subnormal", {0, 1, 0, 0, 0, 0, 1}}};
  for (const Row& row : rows) {
    Operation op(std::string("testp.") + row.word + ".f32 %p0, %f1;");
    for (int i = 0; i < 7; ++i)
      EXPECT_EQ(op({values[i]}), static_cast<std::uint64_t>(row.expected[i])) << row.word << i;
  }
  Operation wide("testp.subnormal.f64 %p0, %d1;");
  EXPECT_EQ(wide({1}), 1U);
  EXPECT_EQ(wide({0x0010000000000000}), 0U);
}

}  // namespace
}  // namespace redflag::cuda
