// S_x: what of a release is seen where, by scope (figure 5.5; section 5.4.2).
#include "core/detect/gpu/barracuda/sync_location.h"

#include <gtest/gtest.h>

#include "core/detect/gpu/sparse_clock.h"

namespace redflag::gpu::barracuda {
namespace {

using Location = SyncLocation<SparseClock>;

SparseClock clock_of(ThreadIndex thread) {
  return SparseClock::of(thread, 1, 7);
}
bool sees(const Location& x, std::uint32_t block, Level level, ThreadIndex thread) {
  const bool alone =
      x.observed(Grid{}, block, level, true)[index(level)].at(thread) == 7;  // of one scope
  const bool together = x.observed(Grid{}, block, level, false)[index(level)].at(thread) == 7;
  EXPECT_EQ(alone, together);
  return alone;
}

// "either 1) at block scope within the same thread block or 2) at least one operation is at global
// scope".
TEST(BarracudaSyncLocation, OneGlobalScopeIsEnough) {
  for (const bool release_global : {false, true}) {
    Location x;
    EXPECT_TRUE(x.empty());
    x.add(3, release_global ? Level::kDevice : Level::kBlock, clock_of(100));
    EXPECT_FALSE(x.empty());
    for (const bool acquire_global : {false, true}) {
      const Level level = acquire_global ? Level::kDevice : Level::kBlock;
      EXPECT_TRUE(sees(x, 3, level, 100));
      EXPECT_EQ(sees(x, 4, level, 100), release_global || acquire_global);
    }
    EXPECT_TRUE(sees(x, 4, Level::kCluster, 100)) << "a cluster's scope is global";
  }
}

TEST(BarracudaSyncLocation, BlocksAreApart) {
  Location x;
  x.add(0, Level::kBlock, clock_of(0));
  x.add(1, Level::kBlock, clock_of(64));
  x.add(2, Level::kDevice, clock_of(128));
  EXPECT_TRUE(sees(x, 0, Level::kBlock, 0));
  EXPECT_FALSE(sees(x, 0, Level::kBlock, 64));
  EXPECT_TRUE(sees(x, 0, Level::kBlock, 128));
  for (const ThreadIndex thread : {0U, 64U, 128U}) EXPECT_TRUE(sees(x, 9, Level::kDevice, thread));
}

TEST(BarracudaSyncLocation, CountsItsRules) {
  Location::Rules rules;
  rules.acquires(Level::kBlock);
  rules.releases(Level::kCluster, false);
  EXPECT_EQ(rules.of(Rule::kAcquireBlock), 1U);
  EXPECT_EQ(rules.of(Rule::kReleaseGlobal), 1U);
  rules.acquires(Level::kDevice);
  rules.releases(Level::kBlock, true);  // one operation
  EXPECT_EQ(rules.of(Rule::kAcquireGlobal), 0U);
  EXPECT_EQ(rules.of(Rule::kAcquireReleaseBlock), 1U);
  EXPECT_EQ(rules.last(), Rule::kAcquireReleaseBlock);
}

}  // namespace
}  // namespace redflag::gpu::barracuda
