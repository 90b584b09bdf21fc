#include "frontends/cpu/rt/backoff.h"

#include <gtest/gtest.h>

#include <cmath>

namespace redflag::rt {
namespace {

Backoff backoff(double factor) {
  Backoff made;
  made.set(static_cast<std::uint32_t>(std::lround(factor * kFactorOne)));
  return made;
}

// Over many regions.
double mean_wait(const Backoff& of, std::uint32_t level) {
  constexpr int kRegions = 20000;
  double sum = 0;
  for (int i = 0; i < kRegions; ++i) {
    sum += of.wait(level, noise_of(static_cast<std::uint64_t>(i) * 4, level));
  }
  return sum / kRegions;
}

TEST(Backoff, WaitsAsLongAsDiceWould) {
  for (const double factor : {0.5, 0.9, 0.99}) {
    const Backoff tested = backoff(factor);
    for (const std::uint32_t level : {1U, 2U, 5U, 12U}) {
      const double p = std::pow(factor, level);
      const double expected = (1 - p) / p;
      EXPECT_NEAR(mean_wait(tested, level), expected, 0.02 + expected * 0.03)
          << factor << " after " << level;
    }
  }
}

TEST(Backoff, FirstIsNeverLetPass) {
  EXPECT_EQ(backoff(0.5).wait(0, 0xffffffff), 0U);
  EXPECT_EQ(backoff(0).wait(0, 0xffffffff), 0U);
}

TEST(Backoff, OneIsAlwaysAndZeroIsOnce) {
  EXPECT_TRUE(backoff(1).is_always());
  EXPECT_EQ(backoff(1).wait(700, 0xffffffff), 0U);
  EXPECT_TRUE(backoff(0).is_once());
  EXPECT_EQ(backoff(0).wait(1, 0), kMostWait);
}

TEST(Backoff, NothingIsForgottenForEver) {
  for (const double factor : {0.01, 0.5, 0.9}) {
    const Backoff tested = backoff(factor);
    for (const std::uint32_t level : {300U, kLevels - 1, kLevels, 0xffffffffU}) {
      EXPECT_LE(tested.wait(level, 0xffffffff), kMostWait);
      EXPECT_GT(tested.wait(level, 0x80000000), kMostWait / 4);
    }
  }
}

TEST(Backoff, NoiseDiffersByRegionAndLevel) {
  EXPECT_EQ(noise_of(64, 3), noise_of(64, 3));
  EXPECT_NE(noise_of(64, 3), noise_of(68, 3));
  EXPECT_NE(noise_of(64, 3), noise_of(64, 4));
}

}  // namespace
}  // namespace redflag::rt
