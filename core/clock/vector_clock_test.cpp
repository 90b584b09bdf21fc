#include "core/clock/vector_clock.h"

#include <gtest/gtest.h>

#include "core/base/memory.h"

namespace redflag {
namespace {

TEST(Epoch, HoldsSlotAndClock) {
  const Epoch e(Slot{kMaxSlots - 1}, 123456789012);
  EXPECT_EQ(e.slot(), Slot{kMaxSlots - 1});
  EXPECT_EQ(e.clock(), 123456789012U);
  EXPECT_EQ(e.next().clock(), 123456789013U);
  EXPECT_EQ(e.next().slot(), e.slot());
  EXPECT_FALSE(Epoch{});
  EXPECT_TRUE(e);
}

class VectorClockTest : public testing::Test {
 protected:
  VectorClock make(std::initializer_list<std::uint64_t> clocks) {
    VectorClock c(&memory_);
    std::uint32_t slot = 0;
    for (const std::uint64_t clock : clocks) c.set(Slot{slot++}, clock);
    return c;
  }
  PageResource memory_;
};

TEST_F(VectorClockTest, MissingEntriesAreZero) {
  const VectorClock c = make({5});
  EXPECT_EQ(c[Slot{0}], 5U);
  EXPECT_EQ(c[Slot{7}], 0U);
  EXPECT_TRUE(c.covers(Epoch{})) << "no access is before everything";
}

TEST_F(VectorClockTest, CoversAnEpochUpToItsClock) {
  const VectorClock c = make({0, 4});
  EXPECT_TRUE(c.covers(Epoch(Slot{1}, 4)));
  EXPECT_FALSE(c.covers(Epoch(Slot{1}, 5)));
  EXPECT_FALSE(c.covers(Epoch(Slot{2}, 1)));
}

TEST_F(VectorClockTest, JoinTakesTheLargerOfEach) {
  VectorClock c = make({1, 5});
  c.join(make({3, 2, 7}));
  EXPECT_EQ(c[Slot{0}], 3U);
  EXPECT_EQ(c[Slot{1}], 5U);
  EXPECT_EQ(c[Slot{2}], 7U);
  EXPECT_TRUE(c.covers(make({3, 5, 7})));
  EXPECT_FALSE(c.covers(make({3, 6})));
  EXPECT_FALSE(c.covers(make({0, 0, 0, 1})));
}

TEST_F(VectorClockTest, MeetTakesTheSmallerOfEach) {
  VectorClock c = make({1, 5, 9});
  c.meet(make({3, 2}));
  EXPECT_EQ(c[Slot{0}], 1U);
  EXPECT_EQ(c[Slot{1}], 2U);
  EXPECT_EQ(c[Slot{2}], 0U);
}

}  // namespace
}  // namespace redflag
