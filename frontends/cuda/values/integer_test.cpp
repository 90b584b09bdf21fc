// Integer arithmetic against __int128, for every type and form.
#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Lanes;
using testing::Operation;
using testing::Values;
__extension__ using Big = __int128;
__extension__ using UBig = unsigned __int128;

struct Kind {
  const char* name;
  unsigned bits;
  bool is_signed;
  char reg;
};
constexpr Kind kKinds[] = {{"u16", 16, false, 'h'}, {"s16", 16, true, 'h'},
                           {"u32", 32, false, 'r'}, {"s32", 32, true, 'r'},
                           {"u64", 64, false, 'l'}, {"s64", 64, true, 'l'}};

Big number(std::uint64_t bits, const Kind& kind) {
  const UBig mask = (UBig{1} << kind.bits) - 1;
  const UBig value = UBig{bits} & mask;
  return kind.is_signed && (value >> (kind.bits - 1)) != 0
             ? static_cast<Big>(value) - static_cast<Big>(mask) - 1
             : static_cast<Big>(value);
}
std::uint64_t low(Big value, unsigned bits) {
  return static_cast<std::uint64_t>(static_cast<UBig>(value) & ((UBig{1} << bits) - 1));
}
std::string registers(char reg, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i != 0 ? ", %" : " %") + std::string(1, reg) + std::to_string(i);
  return text + ";";
}
// The product's high part: of 128 bits for 64-bit types, where Big would overflow for unsigned.
std::uint64_t high(std::uint64_t a, std::uint64_t b, const Kind& kind) {
  if (kind.is_signed || kind.bits < 64)
    return low((number(a, kind) * number(b, kind)) >> kind.bits, kind.bits);
  return static_cast<std::uint64_t>((UBig{a} * UBig{b}) >> 64);
}

template <typename F>
void check(const std::string& text, unsigned sources, const Kind& kind, F expected,
           std::uint64_t seed = 7) {
  Operation op(text);
  if (!op.good()) return;
  Values values(seed);
  for (int round = 0; round < 60; ++round) {
    std::vector<Lanes> in(sources);
    for (Lanes& each : in) {
      for (std::uint64_t& v : each) v = values.integer(kind.bits);
    }
    const std::vector<Lanes> out = op.lanes(in);
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      const std::uint64_t want =
          expected(in[0][i], sources > 1 ? in[1][i] : 0, sources > 2 ? in[2][i] : 0);
      ASSERT_EQ(out[0][i], want) << text << " seed " << seed << std::hex << " a=" << in[0][i]
                                 << " b=" << (sources > 1 ? in[1][i] : 0)
                                 << " c=" << (sources > 2 ? in[2][i] : 0);
    }
  }
}

TEST(Integer, AllTypes) {
  for (const Kind& k : kKinds) {
    const auto n = [&](std::uint64_t x) { return number(x, k); };
    const auto text = [&](const std::string& op, int count) {
      return op + "." + k.name + registers(k.reg, count);
    };
    check(text("add", 3), 2, k, [&](auto a, auto b, auto) { return low(n(a) + n(b), k.bits); });
    check(text("sub", 3), 2, k, [&](auto a, auto b, auto) { return low(n(a) - n(b), k.bits); });
    check(text("mul.lo", 3), 2, k,
          [&](auto a, auto b, auto) { return low(static_cast<Big>(UBig{a} * UBig{b}), k.bits); });
    check(text("mul.hi", 3), 2, k, [&](auto a, auto b, auto) { return high(a, b, k); });
    check(text("mad.lo", 4), 3, k, [&](auto a, auto b, auto c) {
      return low(static_cast<Big>(UBig{a} * UBig{b} + UBig{c}), k.bits);
    });
    check(text("mad.hi", 4), 3, k, [&](auto a, auto b, auto c) {
      return low(static_cast<Big>(high(a, b, k)) + n(c), k.bits);
    });
    check(text("sad", 4), 3, k, [&](auto a, auto b, auto c) {
      const Big d = n(a) - n(b);
      return low(n(c) + (d < 0 ? -d : d), k.bits);
    });
    check(text("min", 3), 2, k, [&](auto a, auto b, auto) { return n(a) < n(b) ? a : b; });
    check(text("max", 3), 2, k, [&](auto a, auto b, auto) { return n(a) < n(b) ? b : a; });
    check(text("div", 3), 2, k, [&](auto a, auto b, auto) {
      return n(b) == 0 ? low(-1, k.bits) : low(n(a) / n(b), k.bits);
    });
    check(text("rem", 3), 2, k, [&](auto a, auto b, auto) {
      return n(b) == 0 ? low(-1, k.bits) : low(n(a) % n(b), k.bits);
    });
    if (k.is_signed) {
      check(text("abs", 2), 1, k,
            [&](auto a, auto, auto) { return low(n(a) < 0 ? -n(a) : n(a), k.bits); });
      check(text("neg", 2), 1, k, [&](auto a, auto, auto) { return low(-n(a), k.bits); });
    }
  }
}

TEST(Integer, Wide) {
  for (const Kind& k : kKinds) {
    if (k.bits == 64) continue;
    const std::string reg(1, k.reg);
    const std::string wide = k.bits == 16 ? "r" : "l";
    check("mul.wide." + std::string(k.name) + " %" + wide + "0, %" + reg + "1, %" + reg + "2;", 2,
          k, [&](auto a, auto b, auto) { return low(number(a, k) * number(b, k), 2 * k.bits); });
    // The third source has twice the bits; with values of the narrow range it is zero-extended.
    check("mad.wide." + std::string(k.name) + " %" + wide + "0, %" + reg + "1, %" + reg + "2, %" +
              wide + "3;",
          3, k, [&](auto a, auto b, auto c) {
            return low(number(a, k) * number(b, k) + static_cast<Big>(c), 2 * k.bits);
          });
  }
}

std::uint64_t clamp32(Big value) {
  const Big most = 0x7fffffff;
  return low(value > most ? most : value < -most - 1 ? -most - 1 : value, 32);
}

TEST(Integer, Saturating) {
  const Kind& s32 = kKinds[3];
  const auto n = [&](std::uint64_t x) { return number(x, s32); };
  check("add.sat.s32 %r0, %r1, %r2;", 2, s32,
        [&](auto a, auto b, auto) { return clamp32(n(a) + n(b)); });
  check("sub.sat.s32 %r0, %r1, %r2;", 2, s32,
        [&](auto a, auto b, auto) { return clamp32(n(a) - n(b)); });
  check("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", 3, s32,
        [&](auto a, auto b, auto c) { return clamp32(((n(a) * n(b)) >> 32) + n(c)); });
}

TEST(Integer, TwentyFourBits) {
  const auto part = [](std::uint64_t x, bool is_signed) -> Big {
    const auto low24 = static_cast<Big>(x & 0xffffffU);
    return is_signed && low24 >= 0x800000 ? low24 - 0x1000000 : low24;
  };
  for (const Kind& k : {kKinds[2], kKinds[3]}) {
    const std::string t = k.name;
    const auto product = [&](auto a, auto b) {
      return part(a, k.is_signed) * part(b, k.is_signed);
    };
    check("mul24.lo." + t + " %r0, %r1, %r2;", 2, k,
          [&](auto a, auto b, auto) { return low(product(a, b), 32); });
    check("mul24.hi." + t + " %r0, %r1, %r2;", 2, k,
          [&](auto a, auto b, auto) { return low(product(a, b) >> 16, 32); });
    check("mad24.lo." + t + " %r0, %r1, %r2, %r3;", 3, k,
          [&](auto a, auto b, auto c) { return low(product(a, b) + number(c, k), 32); });
    check("mad24.hi." + t + " %r0, %r1, %r2, %r3;", 3, k,
          [&](auto a, auto b, auto c) { return low((product(a, b) >> 16) + number(c, k), 32); });
  }
  check("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", 3, kKinds[3], [&](auto a, auto b, auto c) {
    return clamp32(((part(a, true) * part(b, true)) >> 16) + number(c, kKinds[3]));
  });
}

TEST(Integer, DotProducts) {
  const Kind& u32 = kKinds[2];
  for (const bool sa : {false, true}) {
    for (const bool sb : {false, true}) {
      const auto field = [](std::uint64_t x, unsigned at, unsigned bits, bool is_signed) -> Big {
        return number((x >> at) & ((1U << bits) - 1), {"", bits, is_signed, 'r'});
      };
      const std::string types = std::string(sa ? ".s32" : ".u32") + (sb ? ".s32" : ".u32");
      check("dp4a" + types + " %r0, %r1, %r2, %r3;", 3, u32, [&](auto a, auto b, auto c) {
        Big sum = static_cast<Big>(c);
        for (unsigned i = 0; i < 32; i += 8) sum += field(a, i, 8, sa) * field(b, i, 8, sb);
        return low(sum, 32);
      });
      for (const bool upper : {false, true}) {
        check(std::string("dp2a.") + (upper ? "hi" : "lo") + types + " %r0, %r1, %r2, %r3;", 3, u32,
              [&](auto a, auto b, auto c) {
                Big sum = static_cast<Big>(c);
                for (unsigned i = 0; i < 2; ++i) {
                  sum += field(a, 16 * i, 16, sa) * field(b, (upper ? 16 : 0) + 8 * i, 8, sb);
                }
                return low(sum, 32);
              });
      }
    }
  }
}

TEST(Integer, Pairs) {
  struct Row {
    const char* op;
    bool is_signed;
    Big (*f)(Big, Big);
  };
  const Row rows[] = {
      {"add.u16x2", false, [](Big a, Big b) { return a + b; }},
      {"add.s16x2", true, [](Big a, Big b) { return a + b; }},
      {"sub.u16x2", false, [](Big a, Big b) { return a - b; }},
      {"min.u16x2", false, [](Big a, Big b) { return a < b ? a : b; }},
      {"max.s16x2", true, [](Big a, Big b) { return a < b ? b : a; }},
      {"min.s16x2.relu", true,
       [](Big a, Big b) {
         const Big m = a < b ? a : b;
         return m < 0 ? Big{0} : m;
       }},
      {"max.s16x2.relu", true,
       [](Big a, Big b) {
         const Big m = a < b ? b : a;
         return m < 0 ? Big{0} : m;
       }},
  };
  for (const Row& each : rows) {
    const Kind half = {"", 16, each.is_signed, 'r'};
    check(std::string(each.op) + " %r0, %r1, %r2;", 2, kKinds[2], [&](auto a, auto b, auto) {
      const auto one = [&](unsigned at) {
        return low(each.f(number(a >> at, half), number(b >> at, half)), 16) << at;
      };
      return one(0) | one(16);
    });
  }
}

// A sum and a difference of 128 bits, in two steps, against Big.
TEST(Carry, LongAdditionAndSubtraction) {
  Operation add("add.cc.u64 %l0, %l1, %l2;");
  Operation addc("addc.u64 %l0, %l1, %l2;");
  Operation sub("sub.cc.u64 %l0, %l1, %l2;");
  Operation subc("subc.cc.u64 %l0, %l1, %l2;");
  Values values(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lanes> a(2);
    std::vector<Lanes> b(2);
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      for (int k = 0; k < 2; ++k) {
        a[k][i] = values.integer(64);
        b[k][i] = values.integer(64);
      }
    }
    const auto sum0 = add.lanes({a[0], b[0]});
    addc.carry = add.carry;
    const auto sum1 = addc.lanes({a[1], b[1]});
    const auto diff0 = sub.lanes({a[0], b[0]});
    subc.carry = sub.carry;
    const auto diff1 = subc.lanes({a[1], b[1]});
    for (unsigned i = 0; i < testing::kLanes; ++i) {
      const UBig x = UBig{a[1][i]} << 64 | a[0][i];
      const UBig y = UBig{b[1][i]} << 64 | b[0][i];
      ASSERT_EQ(sum0[0][i], static_cast<std::uint64_t>(x + y));
      ASSERT_EQ(sum1[0][i], static_cast<std::uint64_t>((x + y) >> 64));
      ASSERT_EQ(diff0[0][i], static_cast<std::uint64_t>(x - y));
      ASSERT_EQ(diff1[0][i], static_cast<std::uint64_t>((x - y) >> 64));
      ASSERT_EQ((subc.carry >> i) & 1U, x < y ? 1U : 0U);  // the borrow goes out
    }
  }
}

TEST(Carry, MultiplyAdd) {
  for (const bool upper : {false, true}) {
    for (const bool is_signed : {false, true}) {
      const Kind& k = kKinds[is_signed ? 3 : 2];
      const std::string form =
          std::string(upper ? ".hi" : ".lo") + ".cc." + k.name + " %r0, %r1, %r2, %r3;";
      Operation mad("mad" + form);
      Operation madc("madc" + form);
      Values values(12);
      for (int round = 0; round < 100; ++round) {
        std::vector<Lanes> in(3);
        for (Lanes& each : in) {
          for (std::uint64_t& v : each) v = values.integer(32);
        }
        madc.carry = static_cast<std::uint32_t>(values());
        const std::uint32_t before = madc.carry;
        const auto plain = mad.lanes(in);
        const auto with = madc.lanes(in);
        for (unsigned i = 0; i < testing::kLanes; ++i) {
          const Big product = number(in[0][i], k) * number(in[1][i], k);
          const std::uint64_t part = low(upper ? product >> 32 : product, 32);
          const std::uint64_t sum = part + in[2][i];
          ASSERT_EQ(plain[0][i], sum & 0xffffffffU);
          ASSERT_EQ((mad.carry >> i) & 1U, sum >> 32);
          const std::uint64_t more = sum + ((before >> i) & 1U);
          ASSERT_EQ(with[0][i], more & 0xffffffffU);
          ASSERT_EQ((madc.carry >> i) & 1U, more >> 32);
        }
      }
    }
  }
}

}  // namespace
}  // namespace redflag::cuda
