// Bits, logic and shifts against loops over single bits, as the manual writes them.
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Lanes;
using testing::Operation;
using testing::Values;
using u64 = std::uint64_t;

template <typename F>
void check(const std::string& text, std::vector<unsigned> widths, F expected, int rounds = 200) {
  Operation op(text);
  if (!op.good()) return;
  Values values(31);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Lanes> in(widths.size());
    for (std::size_t k = 0; k < widths.size(); ++k) {
      for (u64& v : in[k])
        v = widths[k] < 16 ? values() % (1U << widths[k]) : values.integer(widths[k]);
    }
    const Lanes out = op.lanes(in)[0];
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      u64 v[4] = {};
      for (std::size_t k = 0; k < widths.size(); ++k) v[k] = in[k][i];
      ASSERT_EQ(out[i], expected(v))
          << text << std::hex << " " << v[0] << " " << v[1] << " " << v[2] << " " << v[3];
    }
  }
}
bool bit(u64 x, u64 at) {
  return (x >> at & 1U) != 0;
}

TEST(Bits, CountingAndFinding) {
  for (const unsigned w : {32U, 64U}) {
    const std::string type = std::to_string(w);
    const std::string reg = w == 32 ? " %r0, %r1;" : " %r0, %l1;";
    check("popc.b" + type + reg, {w}, [=](const u64* v) {
      u64 n = 0;
      for (unsigned i = 0; i < w; ++i) n += bit(v[0], i) ? 1 : 0;
      return n;
    });
    check("clz.b" + type + reg, {w}, [=](const u64* v) {
      u64 n = 0;
      while (n < w && !bit(v[0], w - 1 - n)) ++n;
      return n;
    });
    check("brev.b" + type + (w == 32 ? " %r0, %r1;" : " %l0, %l1;"), {w}, [=](const u64* v) {
      u64 out = 0;
      for (unsigned i = 0; i < w; ++i) out |= static_cast<u64>(bit(v[0], i)) << (w - 1 - i);
      return out;
    });
    for (const bool is_signed : {false, true}) {
      for (const bool amount : {false, true}) {
        check(std::string("bfind") + (amount ? ".shiftamt" : "") + (is_signed ? ".s" : ".u") +
                  type + reg,
              {w}, [=](const u64* v) -> u64 {
                const bool skip = is_signed && bit(v[0], w - 1);
                for (unsigned i = w; i-- > 0;) {
                  if (bit(v[0], i) != skip) return amount ? w - 1 - i : i;
                }
                return 0xffffffff;
              });
      }
    }
  }
  check("fns.b32 %r0, %r1, %r2, %r3;", {32, 5, 32}, [](const u64* v) -> u64 {
    const auto offset = static_cast<std::int32_t>(v[2]);
    if (offset == 0) return bit(v[0], v[1]) ? v[1] : 0xffffffff;
    std::int64_t count = (offset > 0 ? std::int64_t{offset} : -std::int64_t{offset}) - 1;
    for (auto pos = static_cast<std::int64_t>(v[1]); pos >= 0 && pos < 32;
         pos += offset > 0 ? 1 : -1) {
      if (!bit(v[0], static_cast<u64>(pos))) continue;
      if (count == 0) return static_cast<u64>(pos);
      --count;
    }
    return 0xffffffff;
  });
  Operation fns("fns.b32 %r0, %r1, %r2, %r3;");
  EXPECT_EQ(fns({0xaaaaaaaa, 3, 0}), 3U);
  EXPECT_EQ(fns({0xaaaaaaaa, 3, static_cast<u64>(-1) & 0xffffffff}), 3U);
  EXPECT_EQ(fns({0xaaaaaaaa, 3, 2}), 5U);
}

TEST(Bits, Fields) {
  for (const unsigned w : {32U, 64U}) {
    const std::string reg = w == 32 ? "%r" : "%l";
    for (const bool is_signed : {false, true}) {
      check("bfe." + std::string(is_signed ? "s" : "u") + std::to_string(w) + " " + reg + "0, " +
                reg + "1, %r2, %r3;",
            {w, 7, 8}, [=](const u64* v) {
              const u64 pos = v[1] & 0xff;
              const u64 len = v[2] & 0xff;
              const u64 msb = w - 1;
              bool sign = false;
              if (is_signed && len != 0) sign = bit(v[0], std::min(pos + len - 1, msb));
              u64 out = 0;
              for (u64 i = 0; i <= msb; ++i) {
                const bool one = i < len && pos + i <= msb ? bit(v[0], pos + i) : sign;
                out |= static_cast<u64>(one) << i;
              }
              return out;
            });
    }
    check("bfi.b" + std::to_string(w) + " " + reg + "0, " + reg + "1, " + reg + "2, %r3, %r4;",
          {w, w, 7, 8}, [=](const u64* v) {
            u64 out = v[1];
            for (u64 i = 0; i < (v[3] & 0xff) && v[2] + i < w; ++i) {
              out = (out & ~(u64{1} << (v[2] + i))) | static_cast<u64>(i < w && bit(v[0], i))
                                                          << (v[2] + i);
            }
            return out;
          });
  }
  for (const bool wrap : {false, true}) {
    const std::string mode = wrap ? ".wrap" : ".clamp";
    for (const bool is_signed : {false, true}) {
      check("szext" + mode + (is_signed ? ".s32" : ".u32") + " %r0, %r1, %r2;", {32, 7},
            [=](const u64* v) {
              const u64 n = wrap ? v[1] & 31 : std::min<u64>(v[1], 32);
              u64 out = 0;
              for (u64 i = 0; i < 32; ++i) {
                const bool one = i < n ? bit(v[0], i) : is_signed && n != 0 && bit(v[0], n - 1);
                out |= static_cast<u64>(one) << i;
              }
              return out;
            });
    }
    check("bmsk" + mode + ".b32 %r0, %r1, %r2;", {7, 7}, [=](const u64* v) {
      const u64 from = wrap ? v[0] & 31 : v[0];
      const u64 count = wrap ? v[1] & 31 : v[1];
      u64 out = 0;
      for (u64 i = 0; i < 32; ++i) out |= static_cast<u64>(i >= from && i < from + count) << i;
      return out;
    });
  }
}

TEST(Bits, Permutation) {
  check("prmt.b32 %r0, %r1, %r2, %r3;", {32, 32, 32}, [](const u64* v) {
    const u64 both = v[1] << 32 | v[0];
    u64 out = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const u64 nibble = v[2] >> (4 * i) & 15;
      u64 byte = both >> (8 * (nibble & 7)) & 0xff;
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      out |= byte << (8 * i);
    }
    return out;
  });
  struct Row {
    const char* mode;
    const char* bytes[4];  // by selector, bytes 3 to 0, as the manual's table has them
  };
  const Row rows[] = {
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
      {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  for (const Row& row : rows) {
    Operation op("prmt.b32." + std::string(row.mode) + " %r0, %r1, %r2, %r3;");
    for (u64 selector = 0; selector < 4; ++selector) {
      u64 want = 0;
      for (int i = 0; i < 4; ++i)
        want = want << 8 | (0x10U + static_cast<u64>(row.bytes[selector][i] - '0'));
      EXPECT_EQ(op({0x13121110, 0x17161514, selector}), want) << row.mode << selector;
    }
  }
}

TEST(Logic, Plain) {
  for (const unsigned w : {16U, 32U, 64U}) {
    const std::string reg = w == 16 ? "%h" : w == 32 ? "%r" : "%l";
    const u64 mask = w == 64 ? ~u64{0} : (u64{1} << w) - 1;
    const std::string two = ".b" + std::to_string(w) + " " + reg + "0, " + reg + "1, " + reg + "2;";
    const std::string one = ".b" + std::to_string(w) + " " + reg + "0, " + reg + "1;";
    check("and" + two, {w, w}, [](const u64* v) { return v[0] & v[1]; });
    check("or" + two, {w, w}, [](const u64* v) { return v[0] | v[1]; });
    check("xor" + two, {w, w}, [](const u64* v) { return v[0] ^ v[1]; });
    check("not" + one, {w}, [=](const u64* v) { return ~v[0] & mask; });
    check("cnot" + one, {w}, [](const u64* v) -> u64 { return v[0] == 0 ? 1 : 0; });
    const std::string shift = std::to_string(w) + " " + reg + "0, " + reg + "1, %r2;";
    check("shl.b" + shift, {w, 7},
          [=](const u64* v) { return v[1] >= w ? 0 : v[0] << v[1] & mask; });
    check("shr.u" + shift, {w, 7}, [=](const u64* v) { return v[1] >= w ? 0 : v[0] >> v[1]; });
    check("shr.b" + shift, {w, 7}, [=](const u64* v) { return v[1] >= w ? 0 : v[0] >> v[1]; });
    check("shr.s" + shift, {w, 7}, [=](const u64* v) {
      u64 out = 0;
      for (u64 i = 0; i < w; ++i)
        out |= static_cast<u64>(bit(v[0], std::min<u64>(i + v[1], w - 1))) << i;
      return out;
    });
  }
  check("shl.b32 %r0, %r1, %r2;", {32, 32},
        [](const u64* v) { return v[1] >= 32 ? 0 : v[0] << v[1] & 0xffffffff; });
}
TEST(Logic, FunnelShifts) {
  for (const bool left : {false, true}) {
    for (const bool wrap : {false, true}) {
      check(std::string("shf.") + (left ? "l" : "r") + (wrap ? ".wrap" : ".clamp") +
                ".b32 %r0, %r1, %r2, %r3;",
            {32, 32, 7}, [=](const u64* v) {
              const u64 n = wrap ? v[2] & 31 : std::min<u64>(v[2], 32);
              u64 out = 0;
              for (u64 i = 0; i < 32; ++i) {
                const u64 at = left ? 32 + i - n : i + n;  // in {b, a}
                out |= static_cast<u64>(at < 32 ? bit(v[0], at) : bit(v[1], at - 32)) << i;
              }
              return out;
            });
    }
  }
}
TEST(Logic, EveryTableOfLop3) {
  for (unsigned table = 0; table < 256; ++table) {
    check(
        "lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table) + ";", {32, 32, 32, 32},
        [=](const u64* v) {
          u64 out = 0;
          for (u64 i = 0; i < 32; ++i) {
            const unsigned at =
                (bit(v[0], i) ? 4U : 0U) | (bit(v[1], i) ? 2U : 0U) | (bit(v[2], i) ? 1U : 0U);
            out |= static_cast<u64>(bit(table, at)) << i;
          }
          return out;
        },
        3);
  }
  Operation op("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, !%p1;");
  std::vector<Lanes> in(5);
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    in[0][i] = in[1][i] = in[2][i] = i % 2;
    in[4][i] = i < 16;
  }
  const auto out = op.lanes(in);
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    EXPECT_EQ(out[0][i], i % 2);
    EXPECT_EQ(out[1][i], static_cast<u64>(i % 2 != 0 || i >= 16));
  }
}
TEST(Logic, Predicates) {
  Lanes a;
  Lanes b;
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    a[i] = i & 1U;
    b[i] = i >> 1 & 1U;
  }
  const auto run = [&](const std::string& text) { return Operation(text).lanes({a, b})[0]; };
  const Lanes both = run("and.pred %p0, %p1, %p2;");
  const Lanes either = run("or.pred %p0, %p1, %p2;");
  const Lanes differ = run("xor.pred %p0, %p1, %p2;");
  const Lanes negated = run("and.pred %p0, %p1, !%p2;");
  const Lanes inverse = Operation("not.pred %p0, %p1;").lanes({a})[0];
  const Lanes copy = Operation("mov.pred %p0, %p1;").lanes({a})[0];
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    EXPECT_EQ(both[i], a[i] & b[i]);
    EXPECT_EQ(either[i], a[i] | b[i]);
    EXPECT_EQ(differ[i], a[i] ^ b[i]);
    EXPECT_EQ(negated[i], a[i] & (b[i] ^ 1U));
    EXPECT_EQ(inverse[i], a[i] ^ 1U);
    EXPECT_EQ(copy[i], a[i]);
  }
}

}  // namespace
}  // namespace redflag::cuda
