// Held to an array with a value for every byte.
#include "core/detect/pgas/intervals.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

#include "core/detect/pgas/skip_intervals.h"

namespace redflag::pgas {
namespace {

using Visitors = std::vector<int>;

template <typename Intervals>
class IntervalsTest : public testing::Test {};
using Implementations = testing::Types<OrderedIntervals<Visitors>, SkipIntervals<Visitors>>;
TYPED_TEST_SUITE(IntervalsTest, Implementations);

TYPED_TEST(IntervalsTest, PiecesAreWhatVisitsHaveInCommon) {
  TypeParam intervals;
  const auto visit = [&](std::uint64_t begin, std::uint64_t end, int who) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    intervals.visit(begin, end, [&](std::uint64_t b, std::uint64_t e, Visitors& here) {
      seen.emplace_back(b, e);
      here.push_back(who);
    });
    return seen;
  };
  using Seen = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(visit(10, 20, 1), (Seen{{10, 20}}));
  EXPECT_EQ(visit(15, 30, 2), (Seen{{15, 20}, {20, 30}}));
  EXPECT_EQ(visit(0, 40, 3), (Seen{{0, 10}, {10, 15}, {15, 20}, {20, 30}, {30, 40}}));
  EXPECT_EQ(visit(12, 12, 4), Seen{});
}

TYPED_TEST(IntervalsTest, AgreesWithAnArrayOfBytes) {
  constexpr std::uint64_t kBytes = 64;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    TypeParam intervals;
    std::array<Visitors, kBytes> bytes;
    for (int who = 0; who < 60; ++who) {
      const std::uint64_t begin = random() % kBytes;
      const std::uint64_t end = begin + random() % (kBytes - begin + 1);
      std::uint64_t at = begin;
      intervals.visit(begin, end, [&](std::uint64_t b, std::uint64_t e, Visitors& here) {
        ASSERT_EQ(b, at);
        ASSERT_LT(b, e);
        at = e;
        for (std::uint64_t byte = b; byte < e; ++byte) ASSERT_EQ(here, bytes[byte]);
        if (random() % 8 == 0) here.clear();
        here.push_back(who);
        for (std::uint64_t byte = b; byte < e; ++byte) bytes[byte] = here;
      });
      ASSERT_EQ(at, end);
      const std::size_t pieces = intervals.size();
      std::set<Visitors> seen;
      intervals.look(begin, end, [&](const Visitors& here) { seen.insert(here); });
      std::set<Visitors> expected(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(end));
      ASSERT_EQ(seen, expected);
      ASSERT_EQ(intervals.size(), pieces);
    }
  }
}

}  // namespace
}  // namespace redflag::pgas
