// Every policy, one set driven by hand: who leaves next.
#include "sim/mem/replacement.h"

#include <gtest/gtest.h>

#include <set>

namespace redflag::sim {
namespace {

void fill(Replacement& r, std::uint32_t set, std::uint32_t ways) {
  for (std::uint32_t way = 0; way < ways; ++way) r.filled(set, way);
}

TEST(Replacement, LruGivesUpTheLeastRecentlyUsed) {
  Replacement r(Policy::kLru, 2, 4);
  fill(r, 0, 4);
  EXPECT_EQ(r.victim(0), 0U);
  r.touched(0, 0);
  EXPECT_EQ(r.victim(0), 1U);
  r.touched(0, 1);
  r.touched(0, 2);
  EXPECT_EQ(r.victim(0), 3U);
  r.filled(0, 3);
  EXPECT_EQ(r.victim(0), 0U);
}

TEST(Replacement, SetsDoNotMix) {
  Replacement r(Policy::kLru, 2, 2);
  fill(r, 0, 2);
  fill(r, 1, 2);
  r.touched(1, 0);
  EXPECT_EQ(r.victim(0), 0U);
  EXPECT_EQ(r.victim(1), 1U);
}

TEST(Replacement, FifoDoesNotCareAboutUses) {
  Replacement r(Policy::kFifo, 1, 3);
  fill(r, 0, 3);
  r.touched(0, 0);
  r.touched(0, 0);
  EXPECT_EQ(r.victim(0), 0U);
  r.filled(0, 0);
  EXPECT_EQ(r.victim(0), 1U);
}

TEST(Replacement, TreePlruPointsAwayFromUses) {
  Replacement r(Policy::kTreePlru, 1, 4);
  fill(r, 0, 4);  // the last use was way 3, before it 2: both nodes on the way point left
  EXPECT_EQ(r.victim(0), 0U);
  r.touched(0, 0);  // now the right half, and in it the one that was not used last
  EXPECT_EQ(r.victim(0), 2U);
  r.touched(0, 2);
  EXPECT_EQ(r.victim(0), 1U);
  r.touched(0, 1);
  EXPECT_EQ(r.victim(0), 3U);
  // Where it differs from lru: 0 is the oldest use, but 1 turned the left half's pointer to it and
  // 2 the root's to the left.
  r.touched(0, 2);
  EXPECT_EQ(r.victim(0), 0U);
}

TEST(Replacement, TreePlruOfOneWay) {
  Replacement r(Policy::kTreePlru, 1, 1);
  r.filled(0, 0);
  EXPECT_EQ(r.victim(0), 0U);
}

TEST(Replacement, RandomReachesAllWaysAndRepeats) {
  Replacement a(Policy::kRandom, 1, 8, 42);
  Replacement b(Policy::kRandom, 1, 8, 42);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t way = a.victim(0);
    ASSERT_LT(way, 8U);
    ASSERT_EQ(way, b.victim(0));
    seen.insert(way);
  }
  EXPECT_EQ(seen.size(), 8U);
}

}  // namespace
}  // namespace redflag::sim
