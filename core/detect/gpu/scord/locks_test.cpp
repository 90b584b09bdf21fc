#include "core/detect/gpu/scord/locks.h"

#include <gtest/gtest.h>

#include <set>

namespace redflag::gpu::scord {
namespace {

TEST(ScordLocks, CompareSwapAndFenceTakeExchangeGivesBack) {
  LockTable table;
  table.take(5, false);
  EXPECT_EQ(table.filter(), 0U) << "valid, not active";
  table.fence(false);
  EXPECT_EQ(table.filter(), filter_bits(5, false));
  table.give_back(5, false);
  EXPECT_EQ(table.filter(), 0U);
}

TEST(ScordLocks, AFenceReachesItsScopeOnly) {
  LockTable table;
  table.take(5, false);
  table.take(9, true);
  table.fence(true);
  EXPECT_EQ(table.filter(), filter_bits(9, true));
  table.fence(false);
  EXPECT_EQ(table.filter(), filter_bits(9, true) | filter_bits(5, false));
}

TEST(ScordLocks, GivingBackAnotherScopeDoesNothing) {
  LockTable table;
  table.take(5, false);
  table.fence(false);
  table.give_back(5, true);
  EXPECT_NE(table.filter(), 0U);
}

TEST(ScordLocks, SpinningTakesOneEntry) {
  LockTable table;
  table.take(1, false);
  table.fence(false);
  for (int i = 0; i < 10; ++i) table.take(2, false);
  EXPECT_EQ(table.filter(), filter_bits(1, false)) << "still there";
}

TEST(ScordLocks, TheFifthOverwritesTheFirst) {
  LockTable table;
  for (std::uint32_t hash = 1; hash <= 4; ++hash) table.take(hash * 9, false);
  table.fence(false);
  table.take(63, false);
  const std::uint32_t rest =
      filter_bits(18, false) | filter_bits(27, false) | filter_bits(36, false);
  EXPECT_EQ(table.filter(), rest);
}

TEST(ScordLocks, BlockScopeIsAnotherLockInEveryBlock) {
  std::set<std::uint32_t> hashes;
  for (std::uint64_t block = 0; block < 8; ++block) hashes.insert(lock_hash(0x2000, true, block));
  EXPECT_GE(hashes.size(), 6U);
  EXPECT_EQ(lock_hash(0x2000, false, 0), lock_hash(0x2000, false, 7));
}

TEST(ScordLocks, FiltersWithoutACommonHalfShareNoLock) {
  EXPECT_TRUE(no_common_lock(0x0101, 0x0102));
  EXPECT_TRUE(no_common_lock(0x0101, 0));
  EXPECT_FALSE(no_common_lock(0x0303, 0x0201));
}

}  // namespace
}  // namespace redflag::gpu::scord
