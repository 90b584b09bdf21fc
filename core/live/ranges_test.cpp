// Ranges: what is freed, and walks over several blocks of another thread.
#include <gtest/gtest.h>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

class RangesTest : public testing::Test {
 protected:
  std::uint32_t cell(std::uint64_t at) {
    const Cell* const found = rig->shadow.find(kMemory + at);
    return found == nullptr ? 0 : found->load();
  }
  void range(Thread& t, std::uint64_t at, std::uint64_t size, LogKind kind) {
    rig->range(t, kMemory + at, size, kind, 1);
  }
  std::uint32_t owner(std::uint64_t at) {
    return rig->shadow.owner(kMemory + at).load() & kOwnerMask;
  }

  Rig rig;
  Thread& a = rig.thread(0);
  Thread& b = rig.thread(1);
};

// A large block of which three pieces were touched, one of them by bytes, one in another region.
TEST_F(RangesTest, FreesRaceWithWhatWasTouched) {
  const std::uint64_t size = 2 * kRegionBytes;
  const std::pair<std::uint64_t, std::uint64_t> pieces[] = {
      {0, 4096}, {kRegionBytes / 2 + 3, 9}, {kRegionBytes + 64, 3 * kBlock}};
  std::uint64_t bytes = 0;
  for (const auto& [at, n] : pieces) {
    range(a, at, n, LogKind::kWrite);
    bytes += n;
  }
  range(b, 8, size - 8 - 5, LogKind::kFree);
  const auto told = Rig::bytes_of(rig.take_races());
  EXPECT_EQ(told.size(), bytes - 8);
  EXPECT_FALSE(told.contains(kMemory));
  EXPECT_TRUE(told.contains(kMemory + 8));
  EXPECT_TRUE(told.contains(kMemory + kRegionBytes / 2 + 11));
  EXPECT_TRUE(told.contains(kMemory + kRegionBytes + 64 + 3 * kBlock - 1));
  EXPECT_EQ(cell(4096), 0U);
  EXPECT_EQ(cell(size - 64), 0U);
  EXPECT_EQ(cell(4096 - 8), b.base);
}

// All blocks of a walk have one owner afterwards, and what it was before is found in each.
TEST_F(RangesTest, WalksTakeBlocksAlong) {
  constexpr std::uint64_t kBlocks = 200;  // more than are taken at once
  range(a, 0, kBlocks * kBlock, LogKind::kWrite);
  EXPECT_EQ(owner(0), a.number + 1);
  range(b, 24, (kBlocks - 1) * kBlock, LogKind::kRead);
  for (std::uint64_t k = 0; k < kBlocks; ++k) EXPECT_EQ(owner(k * kBlock), b.number + 1) << k;
  EXPECT_EQ(Rig::bytes_of(rig.take_races()).size(), (kBlocks - 1) * kBlock);
}

// A column takes those between its first and last access, and none behind it.
TEST_F(RangesTest, ColumnsTakeTheirBlocksAlong) {
  range(a, 0, 8 * kBlock, LogKind::kWrite);
  rig->strided(b, kMemory, kBlock, 4, 16, false, 1);
  for (std::uint64_t k = 0; k < 8; ++k) {
    EXPECT_EQ(owner(k * kBlock), (k < 4 ? b : a).number + 1) << k;
  }
  EXPECT_EQ(Rig::bytes_of(rig.take_races()).size(), 4U * 16);
}

}  // namespace
}  // namespace redflag::live
