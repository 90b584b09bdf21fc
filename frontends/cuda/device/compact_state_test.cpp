#include "frontends/cuda/device/compact_state.h"

#include <gtest/gtest.h>

#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {
namespace {

TEST(Stamped, IsOfOneLaunch) {
  const Stamped stamped = Stamped::of(64 + 5, 77);
  EXPECT_TRUE(stamped.is_of(5));
  EXPECT_FALSE(stamped.is_of(6));
  EXPECT_EQ(stamped.in(5), 77U);
  EXPECT_EQ(stamped.in(6), 0U);
  EXPECT_FALSE(Stamped{}.is_of(0));
}

TEST(Position, AReadModifyWriteContinuesASequenceAndAStoreEndsIt) {
  const std::uint32_t first = 0, second = first + 1, other = next_sequence(second);
  EXPECT_TRUE(is_within(first, second));
  EXPECT_FALSE(is_within(second, first));
  EXPECT_FALSE(is_within(second, other));
  EXPECT_TRUE(is_within(other, other + 1));
}

TEST(Position, ThereAreMoreThanNodes) {
  EXPECT_TRUE(is_same_sequence(0, kMostNodes - 1));
  EXPECT_LE(CompactSizes{}.nodes, kMostNodes);
}

TEST(Outbox, GrowsWithLaunchesAndThenWithTimes) {
  const Outbox early = Outbox::of(3, 100, (1U << kNodeBits) - 1), late = Outbox::of(3, 101, 5);
  EXPECT_LT(early.bits, late.bits);
  EXPECT_LT(late.bits, Outbox::of(4, 1, 1).bits);
  EXPECT_EQ(late.launch(), 3U);
  EXPECT_EQ(late.time(), 101U);
  EXPECT_EQ(late.node(), 5U);
  EXPECT_EQ(Outbox::of(1, gpu::compact::kLastTime + 1, 1).time(), gpu::compact::kLastTime + 1);
}

}  // namespace
}  // namespace redflag::device::compact
