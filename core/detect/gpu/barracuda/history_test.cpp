// Histories forget what later accesses stand for, and stay small.
#include "core/detect/gpu/barracuda/history.h"

#include <gtest/gtest.h>

namespace redflag::gpu::barracuda {
namespace {

const auto kNothing = [](const Touch&) { return false; };
const auto kAll = [](const Touch&) { return true; };

Lanes lanes_of(const History& history, Access now) {
  Lanes lanes = 0;
  history.conflicting(now, [&](const Touch& one) { lanes |= one.lanes; });
  return lanes;
}

TEST(BarracudaHistory, OnlyWhatConflictsIsLookedAt) {
  History h;
  h.add(touch(0, 1, 1, Access::kRead, 0), kNothing);
  h.add(touch(0, 1, 2, Access::kAtomicRead, 0), kNothing);
  h.add(touch(0, 1, 4, Access::kAtomicWrite, 0), kNothing);
  h.add(touch(0, 1, 8, Access::kWrite, 0), kNothing);
  EXPECT_EQ(lanes_of(h, Access::kWrite), 0xFU);
  EXPECT_EQ(lanes_of(h, Access::kRead), 0xCU);
  EXPECT_EQ(lanes_of(h, Access::kAtomicWrite), 0x9U);
  EXPECT_EQ(lanes_of(h, Access::kAtomicRead), 0x8U);
  h.erase(Access::kAtomicWrite);
  EXPECT_FALSE(h.has(Access::kAtomicWrite));
  EXPECT_EQ(lanes_of(h, Access::kWrite), 0xBU);
}

TEST(BarracudaHistory, ALaterReadStandsForEarlierOnes) {
  History h;
  h.add(touch(0, 1, 1, Access::kRead, 0), kNothing);
  h.add(touch(32, 1, 1, Access::kRead, 0), kNothing);
  h.add(touch(0, 2, 3, Access::kRead, 0), kNothing);  // the same lane, and another
  EXPECT_EQ(h.size(), 2U);
  h.add(touch(64, 1, 1, Access::kRead, 0), kAll);
  EXPECT_EQ(h.size(), 1U);
}

TEST(BarracudaHistory, AnAtomicWriteDoesNotStandForReads) {
  History h;
  h.add(touch(0, 1, 1, Access::kRead, 0), kNothing);
  h.add(touch(32, 1, 1, Access::kAtomicWrite, 0), kAll);
  EXPECT_EQ(h.size(), 2U);
}

// Many warps add to a counter, in turns: one element for each of them, about.
TEST(BarracudaHistory, StaysAsSmallAsThereAreWarps) {
  History h;
  constexpr ThreadIndex kWarps = 40;
  for (Time time = 1; time < 500; ++time) {
    for (ThreadIndex w = 0; w < kWarps; ++w) {
      h.add(touch(w * kWarp, time, ~Lanes{0}, Access::kAtomicWrite, 0), kNothing);
      ASSERT_LE(h.size(), 3 * kWarps);
    }
  }
  EXPECT_GE(h.size(), kWarps);
}

}  // namespace
}  // namespace redflag::gpu::barracuda
