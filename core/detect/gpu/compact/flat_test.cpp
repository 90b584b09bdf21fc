#include "core/detect/gpu/compact/flat.h"

#include <gtest/gtest.h>

namespace redflag::gpu::compact {
namespace {

constexpr std::uint32_t kStamp = 5, kAll = ~0U;

Flat by(std::uint32_t block, std::uint32_t thread, std::uint32_t time = 0, std::uint32_t phase = 0,
        std::uint32_t stamp = kStamp) {
  return Flat::of(stamp, block, thread).at(time, phase, 1);
}

TEST(Flat, HasWhatWasPutIn) {
  const Flat cell = Flat::of(63, kBlockMask, 1023).at(Flat::kLastTime, Flat::kLastPhase, 1023);
  EXPECT_EQ(cell.bits, ~std::uint64_t{0});
  const Flat other = Flat::of(1, 2, 3).at(4, 5, 6);
  EXPECT_EQ(other.stamp(), 1U);
  EXPECT_EQ(other.block(), 2U);
  EXPECT_EQ(other.thread(), 3U);
  EXPECT_EQ(other.time(), 4U);
  EXPECT_EQ(other.phase(), 5U);
  EXPECT_EQ(other.site(), 6U);
}

TEST(Flat, UpperHalvesTellLaunchesApart) {
  const auto upper = [](Flat cell) { return static_cast<std::uint32_t>(cell.bits >> 32); };
  EXPECT_LT(upper(by(1, 2)) ^ upper(by(kBlockMask, 1023)), Flat::kOneLaunch);
  EXPECT_GE(upper(by(1, 2)) ^ upper(by(1, 2, 0, 0, kStamp + 1)), Flat::kOneLaunch);
  EXPECT_GE(upper(Flat{}) ^ upper(by(0, 0)), Flat::kOneLaunch) << "stamps begin with 1";
}

TEST(Flat, WhatNobodyWroteInThisLaunchMeetsNothing) {
  EXPECT_EQ(Flat{}.meets(by(0, 0), kAll), FlatMeeting::kNone);
  EXPECT_EQ(by(3, 4, 0, 0, kStamp - 1).meets(by(0, 0), kAll), FlatMeeting::kNone);
  EXPECT_EQ(by(3, 4).meets(by(3, 4, 7, 1), 1U << 4), FlatMeeting::kNone) << "its own";
}

TEST(Flat, BlocksRace) {
  EXPECT_EQ(by(1, 0, 9).meets(by(2, 0, 3), 1), FlatMeeting::kRace);
  EXPECT_EQ(by(1, 5).meets(by(2, 5), kAll), FlatMeeting::kRace)
      << "the same thread of another block";
}

TEST(Flat, BarriersOrderABlock) {
  EXPECT_EQ(by(1, 0, 2).meets(by(1, 40, 3), kAll), FlatMeeting::kOrdered);
  EXPECT_EQ(by(1, 0, 3).meets(by(1, 40, 3), kAll), FlatMeeting::kRace);
}

TEST(Flat, LanesAreInOrderWhereTheyMet) {
  EXPECT_EQ(by(1, 3, 2, 4).meets(by(1, 9, 2, 5), 1U << 9), FlatMeeting::kOrdered);
  EXPECT_EQ(by(1, 3, 2, 5).meets(by(1, 9, 2, 5), 1U << 9), FlatMeeting::kRace);
  EXPECT_EQ(by(1, 3, 2, 5).meets(by(1, 9, 2, 5), 1U << 9 | 1U << 3), FlatMeeting::kTogether);
  EXPECT_EQ(by(1, 3, 2, Flat::kLastPhase).meets(by(1, 9, 2, Flat::kLastPhase), 1U << 9),
            FlatMeeting::kOrdered)
      << "what was behind the last phase is not told apart";
}

}  // namespace
}  // namespace redflag::gpu::compact
