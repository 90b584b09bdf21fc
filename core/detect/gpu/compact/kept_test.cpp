#include "core/detect/gpu/compact/kept.h"

#include <gtest/gtest.h>

namespace redflag::gpu::compact {
namespace {

TEST(Kept, SaysNothingAtFirst) {
  EXPECT_FALSE(Kept{}.is_before(0, 0));
}

TEST(Kept, IsOfABlockUpToATime) {
  const Kept kept = Kept::of(kBlockMask, 1023, 77, 5, 0);
  EXPECT_TRUE(kept.is_before(kBlockMask, 76));
  EXPECT_FALSE(kept.is_before(kBlockMask, 77));
  EXPECT_FALSE(kept.is_before(kBlockMask - 1, 76));
  EXPECT_TRUE(kept.is_thread(1023));
  EXPECT_FALSE(kept.is_thread(1022));
}

TEST(Kept, TimesEndWithTheLastOne) {
  EXPECT_TRUE(Kept::of(1, 0, kLastTime + 1, 0, 0).is_before(1, kLastTime - 1));
  EXPECT_FALSE(Kept::of(1, 0, kLastTime + 1, 0, 0).is_before(1, kLastTime));
}

TEST(Kept, BeforeABarrierIsTheLearnersOwn) {
  const Kept kept = Kept::of(1, 0, 77, 3 * 32 + 4, 8);
  EXPECT_TRUE(kept.is_known_to(3, 1U << 4, 8));
  EXPECT_TRUE(kept.is_known_to(3, 0xF0, 8));  // together with it
  EXPECT_FALSE(kept.is_known_to(3, 1U << 5, 8));
  EXPECT_FALSE(kept.is_known_to(2, 1U << 4, 8));
}

TEST(Kept, BehindABarrierAllKnowIt) {
  const Kept kept = Kept::of(1, 0, 77, 3 * 32 + 4, 8);
  EXPECT_TRUE(kept.is_known_to(0, 1, 9));
  EXPECT_TRUE(kept.is_known_to(3, 1, 1000));
}

// A warp may be behind the one that learnt.
TEST(Kept, BeforeTheLearnersRoundNobodyKnowsIt) {
  const Kept kept = Kept::of(1, 0, 77, 3 * 32 + 4, 8);
  EXPECT_FALSE(kept.is_known_to(0, 1, 7));
  EXPECT_FALSE(kept.is_known_to(3, 1U << 4, 7));
}

TEST(Kept, RoundsBeginAgainAndSayNeverTooMuch) {
  const Kept kept = Kept::of(1, 0, 77, 3 * 32 + 4, 4095);
  EXPECT_TRUE(kept.is_known_to(0, 1, 4096));
  EXPECT_FALSE(kept.is_known_to(0, 1, 4095));
  EXPECT_FALSE(kept.is_known_to(0, 1, 4095 + 4096));  // known, but it looks like the same round
  EXPECT_FALSE(kept.is_known_to(0, 1, 4095 + 3000));
}

TEST(Kept, OfAllIsKnownAtOnce) {
  for (const std::uint32_t round : {0U, 1U, 4095U, 4096U, 10000U}) {
    EXPECT_TRUE(Kept::of_all(1, 77, round).is_known_to(7, 1, round)) << round;
    EXPECT_FALSE(Kept::of_all(1, 77, round).is_known_to(7, 1, round - 1)) << round;
  }
}

}  // namespace
}  // namespace redflag::gpu::compact
