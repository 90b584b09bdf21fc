#include "frontends/cuda/prove/equation.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <span>

namespace redflag::prove {
namespace {

bool by_trying(std::span<const Unknown> unknowns, std::int64_t sum, std::int64_t low,
               std::int64_t high) {
  if (unknowns.empty()) return low <= sum && sum <= high;
  const Unknown& x = unknowns.front();
  for (std::int64_t v = x.least; v <= x.most; ++v) {
    if (by_trying(unknowns.subspan(1), sum + x.by * v, low, high)) return true;
  }
  return false;
}

TEST(Equation, AsByTryingAllOfSmallBoxes) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  const auto between = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  unsigned yes = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<Unknown> unknowns(static_cast<std::size_t>(between(0, 4)));
    const int most = between(1, 40);
    for (Unknown& x : unknowns) {
      const int least = between(-4, 4);
      x = {between(-most, most), least, least + between(-1, 5)};
    }
    const int constant = between(-60, 60), low = between(-8, 8), high = low + between(-1, 7);
    const bool wanted = by_trying(unknowns, constant, low, high);
    ASSERT_EQ(can_be(unknowns, constant, low, high), wanted) << "seed " << seed << ", box " << i;
    yes += wanted ? 1 : 0;
  }
  EXPECT_GT(yes, 2000U);
  EXPECT_LT(yes, 18000U);
}

TEST(Equation, LargeBoxesByTheirDivisors) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  EXPECT_FALSE(can_be({{4, -kMany, kMany}, {8, -kMany, kMany}}, 0, 1, 3));
  EXPECT_TRUE(can_be({{4, -kMany, kMany}, {8, -kMany, kMany}}, 0, 1, 4));
  EXPECT_FALSE(can_be({{4, 1, 1023}, {4096, 0, kMany}}, 0, -3, 3)) << "rows do not meet";
  EXPECT_TRUE(can_be({{4, 1, 1024}, {4096, -kMany, kMany}}, 0, -3, 3));
}

TEST(Equation, TurnsOfTwoThreads) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  EXPECT_FALSE(can_be({{4, 1, 1023}, {4096, 0, kMany}, {-4096, 0, kMany}}, 0, -3, 3));
  EXPECT_TRUE(can_be({{4, 1, 1024}, {4096, 0, kMany}, {-4096, 0, kMany}}, 0, -3, 3));
  EXPECT_FALSE(can_be({{4096, 5, kMany}, {-4096, 0, 4}, {4096, 0, kMany}}, 0, -3, 3))
      << "one is ahead";
}

TEST(Equation, AnEmptyBoxHasNothing) {
  EXPECT_FALSE(can_be({{1, 3, 2}}, 0, -100, 100));
  EXPECT_FALSE(can_be({{0, 3, 2}}, 0, -100, 100)) << "also of what does not matter";
  EXPECT_FALSE(can_be({}, 0, 1, 0));
  EXPECT_TRUE(can_be({}, 0, 0, 0));
}

TEST(Equation, SaysYesWhenItIsTooMuch) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(can_be({{kMostMagnitude, 0, 2}}, 1, 0, 0));
  EXPECT_TRUE(can_be({{kLeast, 1, 1}}, 0, 0, 0)) << "which has no opposite";
  EXPECT_TRUE(can_be({}, kLeast, 0, 0));
  EXPECT_FALSE(can_be({{kLeast, 0, 0}}, 1, 0, 0)) << "times nothing";
}

}  // namespace
}  // namespace redflag::prove
