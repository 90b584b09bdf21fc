// Ranges: what is freed, and what is accessed in steps.
#include <gtest/gtest.h>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

class RangesTest : public testing::Test {
 protected:
  static std::uint64_t cell(std::uint64_t at) { return LinearMemory::cell(kMemory + at).load(); }
  void range(Thread& t, std::uint64_t at, std::uint64_t size, LogKind kind) {
    rig->range(t, kMemory + at, size, kind, 1);
  }

  Rig rig;
  Thread& a = rig.thread(0);
  Thread& b = rig.thread(1);
};

// A large block of which three pieces were touched, one of them by bytes.
TEST_F(RangesTest, FreesRaceWithWhatWasTouched) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 26;
  constexpr std::uint64_t kSize = 2 * kHalf;
  const std::pair<std::uint64_t, std::uint64_t> pieces[] = {
      {0, 4096}, {kHalf / 2 + 3, 9}, {kHalf + 64, 3 * kBlock}};
  std::uint64_t bytes = 0;
  for (const auto& [at, n] : pieces) {
    range(a, at, n, LogKind::kWrite);
    bytes += n;
  }
  range(b, 8, kSize - 8 - 5, LogKind::kFree);
  const auto told = Rig::bytes_of(rig.take_races());
  EXPECT_EQ(told.size(), bytes - 8);
  EXPECT_FALSE(told.contains(kMemory));
  EXPECT_TRUE(told.contains(kMemory + 8));
  EXPECT_TRUE(told.contains(kMemory + kHalf / 2 + 11));
  EXPECT_TRUE(told.contains(kMemory + kHalf + 64 + 3 * kBlock - 1));
  EXPECT_EQ(cell(kBlock), 0U);  // never touched, and still unknown
  EXPECT_EQ(cell(kSize - 64), 0U);
  EXPECT_EQ(cell(4096 - 8), epoch_of(b.view.me) | kBytes);
}

TEST_F(RangesTest, StepsTouchWhatTheySayAndNoMore) {
  range(a, 0, 8 * kBlock, LogKind::kWrite);
  rig->strided(b, kMemory + 4, 40, 5, 12, false, 1);
  std::map<std::uint64_t, int> expected;
  for (std::uint64_t k = 0; k < 5; ++k) {
    for (std::uint64_t i = 0; i < 12; ++i) expected[kMemory + 4 + k * 40 + i] = 1;
  }
  EXPECT_EQ(Rig::bytes_of(rig.take_races()), expected);
}

TEST_F(RangesTest, StepsMayGoDown) {
  range(a, 0, kBlock, LogKind::kWrite);
  rig->strided(b, kMemory + 400, -16, 4, 8, true, 1);
  std::map<std::uint64_t, int> expected;
  for (std::uint64_t k = 0; k < 4; ++k) {
    for (std::uint64_t i = 0; i < 8; ++i) expected[kMemory + 400 - k * 16 + i] = 1;
  }
  EXPECT_EQ(Rig::bytes_of(rig.take_races()), expected);
}

// Large pieces give their shadow back, and what is there afterwards is new.
TEST_F(RangesTest, ForgottenMemoryIsNew) {
  constexpr std::uint64_t kSize = std::uint64_t{1} << 20;
  range(a, 0, kSize, LogKind::kWrite);
  for (std::uint64_t at = 0; at < kSize; at += 512) rig->access(a, kMemory + at, 2, false, 1);
  rig->renew(b, kMemory, kSize);
  range(b, 0, kSize, LogKind::kWrite);
  EXPECT_TRUE(rig.take_races().empty());
}

}  // namespace
}  // namespace redflag::live
