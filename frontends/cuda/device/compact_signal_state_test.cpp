#include "frontends/cuda/device/compact_signal_state.h"

#include <gtest/gtest.h>

#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {
namespace {

TEST(Location, HasAllItsParts) {
  const LocationKey key = LocationKey::of(0x7F0012345678), other = LocationKey::of(0x7F001234567C);
  const Head head = Head::of(64 + 5, 77, key);
  EXPECT_EQ(head.in(5), 77U);
  EXPECT_EQ(head.in(6), 0U);
  EXPECT_TRUE(head.is_of(key));
  EXPECT_FALSE(head.is_of(other));
  const Count count = Count::of(64 + 5, 3U << kIndexBits | 9, key);
  EXPECT_EQ(count.in(5), 3U << kIndexBits | 9);
  EXPECT_EQ(count.in(6), 0U);
  EXPECT_TRUE(count.is_of(key));
  EXPECT_FALSE(count.is_of(other));
}

TEST(Location, CanBeAddedTo) {
  const LocationKey key = LocationKey::of(12);
  EXPECT_EQ(Count::of(5, 8, key).bits + 1, Count::of(5, 9, key).bits);
}

TEST(Location, IsNobodysAtFirst) {
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{4}, ~std::uint64_t{0}}) {
    EXPECT_FALSE(Count{}.is_of(LocationKey::of(key)));
    EXPECT_TRUE(Head{}.is_of(LocationKey::of(key)));
    EXPECT_EQ(Head{}.in(0), 0U);
  }
}

TEST(Location, IsOfAnotherLaunch) {
  const LocationKey key = LocationKey::of(12);
  EXPECT_FALSE(Count::of(5, 8, key).is_in(6));
  EXPECT_TRUE(Count::of(5, 8, key).is_in(5));
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
