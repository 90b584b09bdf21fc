// Comparison, selection, moves.
#include <cmath>

#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Lanes;
using testing::Operation;
using testing::Values;
using u64 = std::uint64_t;

// Every comparison as a set of outcomes: less, equal, greater, unordered.
struct Comparison {
  const char* word;
  bool less, equal, greater, unordered;
};
constexpr Comparison kComparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};
constexpr Comparison kUnsignedWords[] = {{"lo", true, false, false, false},
                                         {"ls", true, true, false, false},
                                         {"hi", false, false, true, false},
                                         {"hs", false, true, true, false}};

bool expected(const Comparison& c, long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return c.unordered;
  return a < b ? c.less : a == b ? c.equal : c.greater;
}

struct Kind {
  const char* type;
  char reg;
  unsigned count;  // of comparisons
  long double (*value)(u64);
  u64 (*random)(Values&);
};
long double half_value(u64 h) {
  const auto exponent = static_cast<int>(h >> 10 & 31);
  const auto fraction = static_cast<long double>(h & 1023);
  const long double size = exponent == 31  ? (fraction != 0 ? std::nanl("") : HUGE_VALL)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (h & 0x8000U) != 0 ? -size : size;
}
const Kind kKinds[] = {
    {"u16", 'h', 6, [](u64 x) { return static_cast<long double>(x); },
     [](Values& v) { return v.integer(16); }},
    {"s16", 'h', 6, [](u64 x) { return static_cast<long double>(static_cast<std::int16_t>(x)); },
     [](Values& v) { return v.integer(16); }},
    {"u32", 'r', 6, [](u64 x) { return static_cast<long double>(x); },
     [](Values& v) { return v.integer(32); }},
    {"s32", 'r', 6, [](u64 x) { return static_cast<long double>(static_cast<std::int32_t>(x)); },
     [](Values& v) { return v.integer(32); }},
    {"u64", 'l', 6, [](u64 x) { return static_cast<long double>(x); },
     [](Values& v) { return v.integer(64); }},
    {"s64", 'l', 6, [](u64 x) { return static_cast<long double>(static_cast<std::int64_t>(x)); },
     [](Values& v) { return v.integer(64); }},
    {"b32", 'r', 2, [](u64 x) { return static_cast<long double>(x); },
     [](Values& v) { return v.integer(32); }},
    {"f32", 'f', 14, [](u64 x) { return static_cast<long double>(testing::as_float(x)); },
     [](Values& v) { return v.f32(); }},
    {"f64", 'd', 14, [](u64 x) { return static_cast<long double>(testing::as_double(x)); },
     [](Values& v) { return v.f64(); }},
    {"f16", 'h', 14, half_value, [](Values& v) { return v.f16(); }},
    {"bf16", 'h', 14, [](u64 x) { return static_cast<long double>(testing::as_float(x << 16)); },
     [](Values& v) { return v.bf16(); }},
};
std::vector<Lanes> operands(const Kind& kind, Values& values) {
  std::vector<Lanes> in(3);
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    in[0][i] = kind.random(values);
    in[1][i] = i % 4 == 0 ? in[0][i] : kind.random(values);
    in[2][i] = values() & 1U;
  }
  return in;
}
std::string one(char reg, int n) {
  return "%" + std::string(1, reg) + std::to_string(n);
}
void check(const Kind& kind, const Comparison& c) {
  const std::string tail = ", " + one(kind.reg, 1) + ", " + one(kind.reg, 2);
  const std::string head = std::string(c.word);
  Operation plain("setp." + head + "." + kind.type + " %p0" + tail + ";");
  Operation both("setp." + head + ".and." + kind.type + " %p0|%p1" + tail + ", %p2;");
  Operation differ("setp." + head + ".xor." + kind.type + " %p0|%p1" + tail + ", !%p2;");
  Operation mask("set." + head + ".u32." + kind.type + " %r0" + tail + ";");
  Operation real("set." + head + ".or.f32." + kind.type + " %f0" + tail + ", %p2;");
  Values values(51);
  for (int round = 0; round < 30; ++round) {
    const std::vector<Lanes> in = operands(kind, values);
    const auto p = plain.lanes({in[0], in[1]});
    const auto b = both.lanes(in);
    const auto d = differ.lanes(in);
    const auto m = mask.lanes({in[0], in[1]});
    const auto r = real.lanes(in);
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      const bool t = expected(c, kind.value(in[0][i]), kind.value(in[1][i]));
      const bool q = in[2][i] != 0;
      ASSERT_EQ(p[0][i], t) << c.word << kind.type << std::hex << " " << in[0][i] << " "
                            << in[1][i];
      ASSERT_EQ(b[0][i], t && q);
      ASSERT_EQ(b[1][i], !t && q);
      ASSERT_EQ(d[0][i], t != !q);
      ASSERT_EQ(d[1][i], !t != !q);
      ASSERT_EQ(m[0][i], t ? 0xffffffffU : 0U);
      ASSERT_EQ(r[0][i], t || q ? 0x3f800000U : 0U);
    }
  }
}
TEST(Compare, EveryTypeAndComparison) {
  for (const Kind& kind : kKinds) {
    for (unsigned k = 0; k < kind.count; ++k) check(kind, kComparisons[k]);
    if (kind.type[0] == 'u') {
      for (const Comparison& c : kUnsignedWords) check(kind, c);
    }
  }
}
TEST(Compare, FlushingAndPairs) {
  EXPECT_EQ(Operation("setp.eq.f32 %p0, %f1, %f2;")({1, 0}), 0U);
  EXPECT_EQ(Operation("setp.eq.ftz.f32 %p0, %f1, %f2;")({1, 0x80000000}), 1U);
  EXPECT_EQ(Operation("setp.eq.ftz.f16 %p0, %h1, %h2;")({1, 0x8000}), 1U);
  Operation pair("setp.lt.f16x2 %p0|%p1, %r1, %r2;");
  const auto out = pair.lanes({Lanes{0x3c004000}, Lanes{0x40003c00}});
  EXPECT_EQ(out[0][0], 0U);
  EXPECT_EQ(out[1][0], 1U);
  EXPECT_EQ(Operation("set.lt.f16x2.f16x2 %r0, %r1, %r2;")({0x3c004000, 0x40003c00}), 0x3c000000U);
  EXPECT_EQ(Operation("set.ge.bf16.bf16 %h0, %h1, %h2;")({0x3f80, 0x3f80}), 0x3f80U);
}

TEST(Select, ByPredicateAndSign) {
  EXPECT_EQ(Operation("selp.b32 %r0, %r1, %r2, %p0;")({5, 7, 1}), 5U);
  EXPECT_EQ(Operation("selp.b32 %r0, %r1, %r2, !%p0;")({5, 7, 1}), 7U);
  EXPECT_EQ(Operation("selp.f64 %d0, %d1, %d2, %p0;")({5, u64{7} << 40, 0}), u64{7} << 40);
  EXPECT_EQ(Operation("selp.u16 %h0, %h1, %h2, %p0;")({5, 7, 0}), 7U);
  Operation integer("slct.u32.s32 %r0, %r1, %r2, %r3;");
  EXPECT_EQ(integer({5, 7, 0}), 5U);
  EXPECT_EQ(integer({5, 7, 0xffffffff}), 7U);
  Operation real("slct.u64.f32 %l0, %l1, %l2, %f3;");
  EXPECT_EQ(real({5, 7, 0x80000000}), 5U);  // -0 is not below 0
  EXPECT_EQ(real({5, 7, 0x80000001}), 7U);
  EXPECT_EQ(real({5, 7, 0x7fc00000}), 7U);  // NaN
  EXPECT_EQ(Operation("slct.ftz.u32.f32 %r0, %r1, %r2, %f3;")({5, 7, 0x80000001}), 5U);
}
TEST(Mov, PacksAndUnpacks) {
  EXPECT_EQ(Operation("mov.u32 %r0, %r1;")({42}), 42U);
  EXPECT_EQ(Operation("mov.f64 %d0, %d1;")({u64{42} << 40}), u64{42} << 40);
  EXPECT_EQ(Operation("mov.b32 %r0, {%h1, %h2};")({0x1234, 0xabcd}), 0xabcd1234U);
  EXPECT_EQ(Operation("mov.b64 %l0, {%r1, %r2};")({0x12345678, 0x9abcdef0}), 0x9abcdef012345678U);
  EXPECT_EQ(Operation("mov.b64 %l0, {%h1, %h2, %h3, %h4};")({1, 2, 3, 4}), 0x0004000300020001U);
  EXPECT_EQ(Operation("mov.b32 %r0, {%c1, %c2, %c3, %c4};")({1, 2, 3, 4}), 0x04030201U);
  EXPECT_EQ(Operation("mov.b16 %h0, {%c1, %c2};")({1, 2}), 0x0201U);
  Operation two("mov.b64 {%r1, %r2}, %l0;");
  Lanes wide;
  for (unsigned i = 0; i < testing::kLanes; ++i) wide[i] = u64{i} << 32 | (100 + i);
  const auto parts = two.lanes({wide});
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    EXPECT_EQ(parts[0][i], 100 + i);
    EXPECT_EQ(parts[1][i], i);
  }
  Operation four("mov.b64 {%h1, %h2, %h3, %h4}, %l0;");
  const auto quarters = four.lanes({Lanes{0x4444333322221111}});
  EXPECT_EQ(quarters[3][0], 0x4444U);
  EXPECT_EQ(quarters[1][0], 0x2222U);
  Operation long_pack("mov.b128 %q0, {%l1, %l2};");
  EXPECT_EQ(long_pack({3, 4}), 3U);  // the low half; unpacking shows both
  Operation half("mov.b32 {%h1, _}, %r0;");
  EXPECT_EQ(half.lanes({Lanes{0xabcd1234}})[0][0], 0x1234U);
}

}  // namespace
}  // namespace redflag::cuda
