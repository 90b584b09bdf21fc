#include "frontends/cuda/prove/terms.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace redflag::prove {
namespace {

constexpr std::int64_t kLeast32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kLeast64 = std::numeric_limits<std::int64_t>::min();

// Folded when it is made, and computed when it is evaluated: both must say the same.
std::optional<std::int64_t> computed(TermOp op, unsigned bits, bool is_signed, std::int64_t a,
                                     std::int64_t b, std::int64_t c = 0) {
  std::byte raw[24];
  std::memcpy(raw, &a, 8);
  std::memcpy(raw + 8, &b, 8);
  std::memcpy(raw + 16, &c, 8);
  Terms folded, later;
  Term term{.op = op, .bits = static_cast<std::uint8_t>(bits), .is_signed = is_signed};
  const auto make = [&](Terms& terms, auto&& operand) {
    term.a = operand(terms, a, 0);
    term.b = operand(terms, b, 8);
    term.c = operand(terms, c, 16);
    return terms.make(term);
  };
  const TermId x =
      make(folded, [](Terms& terms, std::int64_t value, int) { return terms.number(value); });
  const TermId y = make(later, [](Terms& terms, std::int64_t, int at) {
    return terms.make({.op = TermOp::kParameter, .bits = 64, .value = at});
  });
  Facts facts;
  facts.parameters = raw;
  const auto one = evaluate(folded.all(), facts)[x];
  EXPECT_EQ(one, evaluate(later.all(), facts)[y]);
  return one;
}

TEST(Terms, AreOfTheirWidth) {
  EXPECT_EQ(computed(TermOp::kAdd, 32, true, 0x7fffffff, 1), kLeast32);
  EXPECT_EQ(computed(TermOp::kAdd, 64, true, 0x7fffffff, 1), 0x80000000);
  EXPECT_EQ(computed(TermOp::kSub, 32, true, kLeast32, 1), 0x7fffffff);
  EXPECT_EQ(computed(TermOp::kMul, 32, true, 0x10000, 0x10000), 0);
  EXPECT_EQ(computed(TermOp::kMul, 64, true, 0x10000, 0x10000), std::int64_t{1} << 32);
  EXPECT_EQ(computed(TermOp::kMul, 64, true, kLeast64, -1), kLeast64);
}

TEST(Terms, ShiftsAreClamped) {
  EXPECT_EQ(computed(TermOp::kShl, 32, true, 1, 31), kLeast32);
  EXPECT_EQ(computed(TermOp::kShl, 32, true, 1, 32), 0);
  EXPECT_EQ(computed(TermOp::kShl, 64, true, 1, 32), std::int64_t{1} << 32);
  EXPECT_EQ(computed(TermOp::kShl, 64, true, 1, -1), 0);
  EXPECT_EQ(computed(TermOp::kShr, 32, true, -8, 1), -4);
  EXPECT_EQ(computed(TermOp::kShr, 32, true, -8, 40), -1);
  EXPECT_EQ(computed(TermOp::kShr, 32, false, -8, 1), 0x7ffffffc);
  EXPECT_EQ(computed(TermOp::kShr, 32, false, -8, 32), 0);
  EXPECT_EQ(computed(TermOp::kShr, 64, false, -1, 63), 1);
}

TEST(Terms, DivisionHasNoValueByZeroAndOneByMinusOne) {
  for (const bool is_signed : {true, false}) {
    EXPECT_EQ(computed(TermOp::kDiv, 32, is_signed, 5, 0), std::nullopt);
    EXPECT_EQ(computed(TermOp::kRem, 64, is_signed, 5, 0), std::nullopt);
  }
  EXPECT_EQ(computed(TermOp::kDiv, 32, true, kLeast32, -1), kLeast32);
  EXPECT_EQ(computed(TermOp::kDiv, 64, true, kLeast64, -1), kLeast64);
  EXPECT_EQ(computed(TermOp::kRem, 64, true, kLeast64, -1), 0);
  EXPECT_EQ(computed(TermOp::kDiv, 32, true, -7, 2), -3);
  EXPECT_EQ(computed(TermOp::kRem, 32, true, -7, 2), -1);
  EXPECT_EQ(computed(TermOp::kDiv, 32, false, -7, 2), 0x7ffffffc);
  EXPECT_EQ(computed(TermOp::kRem, 32, false, -7, 2), 1);
}

TEST(Terms, ComparisonsAndChoices) {
  EXPECT_EQ(computed(TermOp::kMin, 32, true, -1, 1), -1);
  EXPECT_EQ(computed(TermOp::kMin, 32, false, -1, 1), 1);
  EXPECT_EQ(computed(TermOp::kMax, 32, false, -1, 1), -1);
  EXPECT_EQ(computed(TermOp::kLess, 32, true, -1, 1), 1);
  EXPECT_EQ(computed(TermOp::kLess, 32, false, -1, 1), 0);
  EXPECT_EQ(computed(TermOp::kLess, 64, false, kLeast64, 1), 0);
  EXPECT_EQ(computed(TermOp::kEqual, 32, true, std::int64_t{1} << 32, 0), 1);
  EXPECT_EQ(computed(TermOp::kEqual, 64, true, std::int64_t{1} << 32, 0), 0);
  EXPECT_EQ(computed(TermOp::kSelect, 64, true, 5, 6, 1), 5);
  EXPECT_EQ(computed(TermOp::kSelect, 64, true, 5, 6, 0), 6);
  EXPECT_EQ(computed(TermOp::kAnd, 64, true, -1, 0xffffffff), 0xffffffff);
  EXPECT_EQ(computed(TermOp::kOr, 32, false, 1, 2), 3);
  EXPECT_EQ(computed(TermOp::kXor, 32, false, 1, 3), 2);
}

TEST(Terms, ParametersOfEverySize) {
  const std::uint8_t raw[8] = {0xfe, 0xff, 0xff, 0xff, 0x01, 0, 0, 0x80};
  Facts facts;
  facts.parameters = std::as_bytes(std::span(raw));
  const auto value = [&](unsigned bits, bool is_signed, std::int64_t at) {
    Terms terms;
    const TermId id = terms.make({.op = TermOp::kParameter,
                                  .bits = static_cast<std::uint8_t>(bits),
                                  .is_signed = is_signed,
                                  .value = at});
    return evaluate(terms.all(), facts)[id];
  };
  EXPECT_EQ(value(8, true, 0), -2);
  EXPECT_EQ(value(8, false, 0), 0xfe);
  EXPECT_EQ(value(16, true, 0), -2);
  EXPECT_EQ(value(16, false, 0), 0xfffe);
  EXPECT_EQ(value(32, true, 0), -2);
  EXPECT_EQ(value(32, false, 0), -2) << "32 bits are kept with their sign";
  EXPECT_EQ(value(64, true, 0), static_cast<std::int64_t>(0x80000001'fffffffeULL));
  EXPECT_EQ(value(8, false, 7), 0x80);
  EXPECT_EQ(value(16, false, 7), std::nullopt) << "beyond the end";
  EXPECT_EQ(value(64, false, 1), std::nullopt);
  EXPECT_EQ(value(8, false, -1), std::nullopt);
}

TEST(Terms, SizesAndVariables) {
  Terms terms;
  const TermId threads = terms.make({.op = TermOp::kSize, .bits = 32, .value = 1});
  const TermId blocks = terms.make({.op = TermOp::kSize, .bits = 32, .value = 5});
  const TermId known = terms.make({.op = TermOp::kVariable, .value = 0});
  const TermId unknown = terms.make({.op = TermOp::kVariable, .value = 1});
  const TermId absent = terms.make({.op = TermOp::kVariable, .value = 2});
  const TermId sum = terms.add(known, unknown);
  const std::uint64_t addresses[] = {64, 0};
  Facts facts;
  facts.sizes.threads[1] = 7;
  facts.sizes.blocks[2] = 9;
  facts.variables = addresses;
  const auto values = evaluate(terms.all(), facts);
  EXPECT_EQ(values[threads], 7);
  EXPECT_EQ(values[blocks], 9);
  EXPECT_EQ(values[known], 64);
  EXPECT_EQ(values[unknown], std::nullopt);
  EXPECT_EQ(values[absent], std::nullopt);
  EXPECT_EQ(values[sum], std::nullopt) << "of what has no value";
}

TEST(Terms, EqualOnesAreOne) {
  Terms terms;
  const TermId n = terms.make({.op = TermOp::kParameter, .bits = 32, .value = 16});
  EXPECT_EQ(terms.make({.op = TermOp::kParameter, .bits = 32, .value = 16}), n);
  EXPECT_NE(terms.make({.op = TermOp::kParameter, .bits = 64, .value = 16}), n);
  EXPECT_EQ(terms.add(n, kZero), n);
  EXPECT_EQ(terms.add(kZero, n), n);
  EXPECT_EQ(terms.multiply(n, terms.number(1)), n);
  EXPECT_EQ(terms.multiply(n, kZero), kZero);
  EXPECT_NE(terms.make({.op = TermOp::kAdd, .bits = 32, .a = n, .b = kZero}), n)
      << "that of 32 bits wraps around";
  EXPECT_EQ(terms.literal(n), std::nullopt);
  EXPECT_EQ(terms.literal(terms.negate(terms.number(3))), -3);
}

}  // namespace
}  // namespace redflag::prove
