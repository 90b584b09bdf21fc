#include "frontends/cuda/device/compact_state.h"

#include <gtest/gtest.h>

namespace redflag::device::compact {
namespace {

TEST(Slot, HasAllItsParts) {
  const Slot slot = Slot::of(64 + 5, 77, 3U << kIndexBits | 9);
  EXPECT_TRUE(slot.is_of(5));
  EXPECT_FALSE(slot.is_of(6));
  EXPECT_EQ(slot.head(), 77U);
  EXPECT_EQ(slot.position() >> kIndexBits, 3U);
  EXPECT_EQ(slot.position() & kLastIndex, 9U);
  EXPECT_FALSE(Slot{}.is_of(0));
}

TEST(Slot, AReadModifyWriteContinuesASequenceAndAStoreEndsIt) {
  const Slot first = Slot::of(1, 7, 0);
  const Slot second = Slot::of(1, 8, first.next(true));
  EXPECT_TRUE(is_within(first.position(), second.position()));
  EXPECT_FALSE(is_within(second.position(), first.position()));
  const Slot other = Slot::of(1, 9, second.next(false));
  EXPECT_FALSE(is_within(second.position(), other.position()));
  EXPECT_TRUE(is_within(other.position(), other.next(true)));
}

TEST(Slot, ALongSequenceIsTakenForKnown) {
  const Slot last = Slot::of(1, 7, kLastIndex);
  EXPECT_EQ(last.next(true), kLastIndex);
  EXPECT_TRUE(is_within(last.next(true), last.position()));
  EXPECT_EQ(last.next(false), 1U << kIndexBits);
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
