#include "core/detect/gpu/iguard/locks.h"

#include <gtest/gtest.h>

namespace redflag::gpu::iguard {
namespace {

TEST(IguardLocks, CompareSwapAndFenceTakeExchangeGivesBack) {
  LockTable table;
  table.take(5, false);
  EXPECT_EQ(table.filter(), 0U);
  table.fence(false);
  EXPECT_EQ(table.filter(), filter_bits(5));
  table.give_back(5, false);
  EXPECT_EQ(table.filter(), 0U);
}

TEST(IguardLocks, AFenceReachesItsScopeOnly) {
  LockTable table;
  table.take(5, false);
  table.fence(true);
  EXPECT_EQ(table.filter(), 0U) << "a device's lock needs a device's fence";
  table.take(6, true);
  table.fence(true);
  EXPECT_EQ(table.filter(), filter_bits(6));
}

TEST(IguardLocks, ThreeAtATime) {
  LockTable table;
  for (const std::uint32_t hash : {1U, 10U, 19U}) table.take(hash, false);
  table.fence(false);
  EXPECT_EQ(table.filter(), filter_bits(1) | filter_bits(10) | filter_bits(19));
  table.take(30, false);  // over one of them, and not active yet
  EXPECT_NE(table.filter(), filter_bits(1) | filter_bits(10) | filter_bits(19));
}

TEST(IguardLocks, TheThreadBitIsApart) {
  LockTable table;
  table.take(5, false);
  table.fence(false);
  table.set_thread();
  EXPECT_TRUE(table.is_thread());
  EXPECT_EQ(table.filter(), filter_bits(5));
  LockTable empty;
  empty.set_thread();
  EXPECT_EQ(empty.filter(), 0U);
}

TEST(IguardLocks, HashesHaveEighteenBits) {
  for (std::uint64_t address = 0; address < 1 << 16; address += 4) {
    EXPECT_LT(lock_hash(address, false, 0), 1U << 18);
  }
  EXPECT_NE(lock_hash(0x2000, true, 0), lock_hash(0x2000, true, 1));
}

}  // namespace
}  // namespace redflag::gpu::iguard
