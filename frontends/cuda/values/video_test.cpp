// Video instructions: the manual's pseudo code, over all types and selectors.
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Lanes;
using testing::Operation;
using testing::Values;
using i64 = std::int64_t;
using u64 = std::uint64_t;

i64 field(u64 word, unsigned at, unsigned bits, bool is_signed) {
  const u64 value = word >> at & ((u64{1} << bits) - 1);
  return is_signed && (value >> (bits - 1)) != 0 ? static_cast<i64>(value) - (i64{1} << bits)
                                                 : static_cast<i64>(value);
}
i64 clamp(i64 value, unsigned bits, bool is_signed) {
  const i64 least = is_signed ? -(i64{1} << (bits - 1)) : 0;
  const i64 most = is_signed ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  return std::min(std::max(value, least), most);
}
struct Selector {
  const char* text;
  unsigned at, bits;
};
constexpr Selector kSelectors[] = {
    {"", 0, 32}, {".b0", 0, 8}, {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};
struct Kind {
  const char* name;
  i64 (*f)(i64, i64);
};
constexpr Kind kKinds[] = {{"vadd", [](i64 a, i64 b) { return a + b; }},
                           {"vsub", [](i64 a, i64 b) { return a - b; }},
                           {"vabsdiff", [](i64 a, i64 b) { return a < b ? b - a : a - b; }},
                           {"vmin", [](i64 a, i64 b) { return std::min(a, b); }},
                           {"vmax", [](i64 a, i64 b) { return std::max(a, b); }}};
const char* type(bool is_signed) {
  return is_signed ? ".s32" : ".u32";
}

TEST(Video, Scalar) {
  Values values(71);
  for (const Kind& kind : kKinds) {
    for (unsigned signs = 0; signs < 8; ++signs) {
      const bool ds = (signs & 1U) != 0;
      const bool as = (signs & 2U) != 0;
      const bool bs = (signs & 4U) != 0;
      for (const Selector& a : kSelectors) {
        for (const bool sat : {false, true}) {
          const Selector& b = kSelectors[values() % 5];
          const Selector& d = kSelectors[values() % 5];
          const std::string head =
              std::string(kind.name) + type(ds) + type(as) + type(bs) + (sat ? ".sat" : "");
          const std::string sources = std::string(", %r1") + a.text + ", %r2" + b.text;
          Operation plain(head + " %r0" + sources + ";");
          Operation merge(head + " %r0" + d.text + sources + ", %r3;");
          Operation sum(head + ".add %r0" + sources + ", %r3;");
          Operation most(head + ".max %r0" + sources + ", %r3;");
          std::vector<Lanes> in(3);
          for (Lanes& each : in) {
            for (u64& v : each) v = values.integer(32);
          }
          const Lanes p = plain.lanes({in[0], in[1]})[0];
          const Lanes m = merge.lanes(in)[0];
          const Lanes s = sum.lanes(in)[0];
          const Lanes x = most.lanes(in)[0];
          for (unsigned i = 0; i < testing::kLanes; ++i) {
            const i64 value =
                kind.f(field(in[0][i], a.at, a.bits, as), field(in[1][i], b.at, b.bits, bs));
            const auto word = [&](unsigned bits) {
              return static_cast<u64>(sat ? clamp(value, bits, ds) : value) & 0xffffffffU;
            };
            ASSERT_EQ(p[i], word(32)) << head;
            const u64 mask = d.bits == 32 ? 0xffffffffU : ((u64{1} << d.bits) - 1) << d.at;
            ASSERT_EQ(m[i], (in[2][i] & ~mask) | (word(d.bits) << d.at & mask)) << head << d.text;
            ASSERT_EQ(s[i], (word(32) + in[2][i]) & 0xffffffffU);
            const bool less = field(word(32), 0, 32, ds) < field(in[2][i], 0, 32, ds);
            ASSERT_EQ(x[i], less ? in[2][i] : word(32));
          }
        }
      }
    }
  }
}
TEST(Video, PackedBytesAndHalves) {
  Values values(72);
  for (const unsigned bits : {8U, 16U}) {
    const std::string count = bits == 8 ? "4" : "2";
    for (const Kind& kind : kKinds) {
      for (unsigned signs = 0; signs < 8; ++signs) {
        const bool ds = (signs & 1U) != 0;
        const bool as = (signs & 2U) != 0;
        const bool bs = (signs & 4U) != 0;
        for (const std::string form : {"", ".sat", ".add"}) {
          Operation op(kind.name + count + type(ds) + type(as) + type(bs) + form +
                       " %r0, %r1, %r2, %r3;");
          std::vector<Lanes> in(3);
          for (Lanes& each : in) {
            for (u64& v : each) v = values.integer(32);
          }
          const Lanes out = op.lanes(in)[0];
          for (unsigned i = 0; i < testing::kLanes; ++i) {
            u64 want = form == ".add" ? in[2][i] : 0;
            for (unsigned at = 0; at < 32; at += bits) {
              i64 value = kind.f(field(in[0][i], at, bits, as), field(in[1][i], at, bits, bs));
              if (form == ".sat") value = clamp(value, bits, ds);
              want = form == ".add"
                         ? want + static_cast<u64>(value)
                         : want | (static_cast<u64>(value) & ((u64{1} << bits) - 1)) << at;
            }
            ASSERT_EQ(out[i], want & 0xffffffffU) << kind.name << count << form;
          }
        }
      }
    }
  }
  EXPECT_EQ(Operation("vavrg4.u32.u32.u32 %r0, %r1, %r2, %r3;")({0x01020304, 0x02020204, 0}),
            0x02020304U);
  EXPECT_EQ(Operation("vset4.u32.u32.lt %r0, %r1, %r2, %r3;")({0x01020304, 0x02020204, 0}),
            0x01000000U);
  EXPECT_EQ(Operation("vset2.s32.s32.ge.add %r0, %r1, %r2, %r3;")({0xffff0001, 0x00000001, 5}), 6U);
}
TEST(Video, ShiftsSetsAndProducts) {
  EXPECT_EQ(Operation("vshl.u32.u32.u32.clamp %r0, %r1, %r2;")({1, 31}), 0x80000000U);
  EXPECT_EQ(Operation("vshl.u32.u32.u32.clamp %r0, %r1, %r2;")({1, 40}), 0U);
  EXPECT_EQ(Operation("vshl.u32.u32.u32.wrap %r0, %r1, %r2;")({1, 33}), 2U);
  EXPECT_EQ(Operation("vshr.s32.s32.u32.clamp %r0, %r1, %r2;")({0x80000000, 40}), 0xffffffffU);
  EXPECT_EQ(Operation("vset.s32.u32.lt %r0, %r1, %r2;")({0xffffffff, 0}), 1U);  // -1 against 0
  EXPECT_EQ(Operation("vset.u32.u32.lt.add %r0, %r1, %r2, %r3;")({3, 4, 10}), 11U);
  EXPECT_EQ(Operation("vmad.u32.u32.u32 %r0, %r1, %r2, %r3;")({3, 4, 5}), 17U);
  EXPECT_EQ(Operation("vmad.s32.s32.s32 %r0, -%r1, %r2, %r3;")({3, 4, 5}),
            static_cast<std::uint32_t>(-7));
  EXPECT_EQ(Operation("vmad.s32.s32.s32 %r0, %r1, %r2, -%r3;")({3, 4, 5}), 7U);
  EXPECT_EQ(Operation("vmad.u32.u32.u32.shr7 %r0, %r1.h0, %r2.h1, %r3;")({0x20, 0x00400000, 0}),
            0x10U);
  EXPECT_EQ(Operation("vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;")({0x7fffffff, 2, 0}), 0x7fffffffU);
}

}  // namespace
}  // namespace redflag::cuda
