// The entry and the fence file's entry have exactly the paper's bits: a value one too wide is cut.
#include "core/detect/gpu/scord/entry.h"

#include <gtest/gtest.h>

#include <bit>

namespace redflag::gpu::scord {
namespace {

TEST(ScordEntry, WidthsOfFigure7) {
  Entry e;
  e.locks = 0xFFFF;
  e.block = 127;
  e.warp = 31;
  e.barrier = 255;
  e.device_fence = e.block_fence = 63;
  e.modified = e.block_shared = e.device_shared = e.is_atomic = e.block_scope = e.strong = 1;
  e.tag = 15;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(e), ~std::uint64_t{0} >> 6) << "six bits are unused";
  EXPECT_EQ(e.block, 127U);
  EXPECT_EQ(e.warp, 31U);
  EXPECT_EQ(e.barrier, 255U);
  EXPECT_EQ(e.device_fence, 63U);
}

TEST(ScordEntry, FieldsDoNotOverlap) {
  Entry e;
  e.modified = e.block_shared = e.device_shared = 0;
  const auto alone = [](Entry one) { return std::popcount(std::bit_cast<std::uint64_t>(one)); };
  EXPECT_EQ(alone(e), 0);
  e.block = 127;
  EXPECT_EQ(alone(e), 7);
  e.warp = 31;
  EXPECT_EQ(alone(e), 12);
  e.barrier = 255;
  EXPECT_EQ(alone(e), 20);
  e.device_fence = 63;
  EXPECT_EQ(alone(e), 26);
  e.block_fence = 63;
  EXPECT_EQ(alone(e), 32);
  e.locks = 0xFFFF;
  EXPECT_EQ(alone(e), 48);
  e.tag = 15;
  EXPECT_EQ(alone(e), 52);
}

// "The Modified, BlkShared, and DevShared flags are all initialized to true for each entry."
TEST(ScordEntry, NewOnesHaveThreeFlags) {
  const Entry e;
  EXPECT_TRUE(e.modified && e.block_shared && e.device_shared);
  EXPECT_FALSE(e.is_atomic || e.strong || e.tag != 0);
}

TEST(ScordEntry, CountersBeginAgain) {
  EXPECT_EQ(wrapped<kFenceBits>(64), 0U);
  EXPECT_EQ(wrapped<kBarrierBits>(257), 1U);
  EXPECT_EQ(wrapped<kBlockBits>(128), 0U);
  Fences f;
  f.device = 63;
  f.block = 63;
  EXPECT_EQ(std::bit_cast<std::uint16_t>(f), 0xFFF) << "12 bits";
}

}  // namespace
}  // namespace redflag::gpu::scord
