#include "sim/models/scord/release_file.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

TEST(ReleaseFile, OrdersWhatCameBeforeTheReleaseThatWasAcquired) {
  ReleaseFile file(8, 4);
  const std::uint32_t before = file.count();
  const std::uint32_t value = file.release(3);
  const std::uint32_t behind = file.count();
  EXPECT_FALSE(file.ordered(5, 3, before));
  file.acquire(5, 3, value);
  EXPECT_TRUE(file.ordered(5, 3, before));
  EXPECT_FALSE(file.ordered(5, 3, behind));  // accessed after the release
  EXPECT_FALSE(file.ordered(5, 2, before));
  EXPECT_FALSE(file.ordered(3, 5, before));
}

TEST(ReleaseFile, ALaterReleaseOfTheSameWarpTakesItsPlace) {
  ReleaseFile file(8, 2);
  file.acquire(0, 1, file.release(1));
  const std::uint32_t between = file.count();
  file.acquire(0, 1, file.release(1));
  file.acquire(0, 2, file.release(2));
  EXPECT_TRUE(file.ordered(0, 1, between));
  EXPECT_TRUE(file.ordered(0, 2, between));
}

TEST(ReleaseFile, RemembersSoMany) {
  ReleaseFile file(8, 2);
  for (std::size_t other = 1; other <= 3; ++other) file.acquire(0, other, file.release(other));
  EXPECT_FALSE(file.ordered(0, 1, 0));
  EXPECT_TRUE(file.ordered(0, 2, 0));
  EXPECT_TRUE(file.ordered(0, 3, 0));
  file.clear();
  EXPECT_FALSE(file.ordered(0, 3, 0));
  EXPECT_EQ(file.count(), 0U);
}

}  // namespace
}  // namespace redflag::sim
