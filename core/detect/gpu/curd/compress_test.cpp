#include "core/detect/gpu/curd/compress.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace redflag::gpu::curd {
namespace {

struct Scattered {
  Row row;
  Begins begins{};
  Stripe stripe() { return {&row, &begins, 1, 1}; }
};
Scattered lanes_at(const std::vector<std::uint64_t>& begins, std::uint32_t size) {
  Scattered out;
  out.row.size = size;
  out.row.scattered = 1;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    out.begins.of[i] = begins[i];
    out.row.lanes |= LaneMask{1} << i;
  }
  return out;
}

// As figure 6.5 goes: bitmaps of order and mergeability, a scan, and runs.
TEST(CurdCompress, BitmapsScanAndRuns) {
  Scattered some = lanes_at({100, 104, 108, 200, 40, 44, 42}, 4);
  const Stripe stripe = some.stripe();
  const Bitmaps bits = bitmaps_of(stripe, some.row);
  EXPECT_EQ(bits.ordered, 0b0101110U) << "not before the one to the left";
  EXPECT_EQ(bits.mergeable, 0b1100110U);
  EXPECT_EQ(bits.overlapping, 0b1000000U);
  const LaneMask starts = some.row.lanes & ~bits.mergeable;
  const std::array<unsigned, 7> places{0, 1, 1, 1, 2, 3, 3};
  for (unsigned lane = 0; lane < 7; ++lane) EXPECT_EQ(runs_before(starts, lane), places[lane]);
  std::array<curd::Run, kLanes> runs;
  ASSERT_EQ(runs_of(stripe, some.row, runs.data()), 3U);
  EXPECT_EQ(runs[0].begin, 100U);
  EXPECT_EQ(runs[0].end, 112U);
  EXPECT_EQ(runs[0].lanes, 0b111U);
  EXPECT_FALSE(runs[0].crossing);
  EXPECT_EQ(runs[1].begin, 200U);
  EXPECT_EQ(runs[2].begin, 40U);
  EXPECT_EQ(runs[2].end, 48U) << "the last lane is not its end";
  EXPECT_TRUE(runs[2].crossing);
}

TEST(CurdCompress, EvenRowsByStrideAndSize) {
  Begins none{};
  Row row;
  row.base = 0x1000;
  row.lanes = ~LaneMask{0};
  Stripe stripe{&row, &none, 1, 0};
  std::array<curd::Run, kLanes> runs;
  const auto count = [&](std::int64_t stride, std::uint32_t size) {
    row.stride = stride;
    row.size = size;
    return runs_of(stripe, row, runs.data());
  };
  EXPECT_EQ(count(4, 4), 1U);
  EXPECT_EQ(runs[0].end - runs[0].begin, 128U);
  EXPECT_FALSE(runs[0].crossing);
  EXPECT_EQ(count(0, 4), 1U);
  EXPECT_TRUE(runs[0].crossing) << "all lanes access the same bytes";
  EXPECT_EQ(count(8, 4), 32U);
  EXPECT_EQ(count(-4, 4), 1U);
  EXPECT_EQ(runs[0].begin, 0x1000U - 31 * 4);
  EXPECT_FALSE(runs[0].crossing);
  EXPECT_EQ(count(2, 4), 1U);
  EXPECT_TRUE(runs[0].crossing);
  row.lanes = 0b1011;
  EXPECT_EQ(count(4, 4), 2U) << "a lane that is missing parts them";
}

// Runs have the bytes of their lanes; a run that is not crossing has no byte twice.
TEST(CurdCompress, RunsHoldTheirLanes) {
  std::mt19937 random(5);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint64_t> begins;
    for (unsigned i = 0; i < 1 + random() % 32; ++i) {
      begins.push_back(random() % 2 == 0 && !begins.empty() ? begins.back() + random() % 12
                                                            : 1000 + random() % 100);
    }
    Scattered some = lanes_at(begins, 1 + random() % 8);
    const Stripe stripe = some.stripe();
    std::array<curd::Run, kLanes> runs;
    const unsigned count = runs_of(stripe, some.row, runs.data());
    LaneMask seen = 0;
    for (unsigned i = 0; i < count; ++i) {
      EXPECT_EQ(seen & runs[i].lanes, 0U);
      seen |= runs[i].lanes;
      std::set<std::uint64_t> bytes;
      std::size_t all = 0;
      for (LaneMask rest = runs[i].lanes; rest != 0; rest &= rest - 1) {
        const Region region = stripe.region(some.row, first_lane(rest));
        for (std::uint64_t b = region.begin; b < region.end(); ++b) bytes.insert(b), ++all;
      }
      EXPECT_EQ(*bytes.begin(), runs[i].begin);
      EXPECT_EQ(*bytes.rbegin() + 1, runs[i].end);
      EXPECT_EQ(bytes.size(), runs[i].end - runs[i].begin) << "without holes";
      EXPECT_TRUE(runs[i].crossing || all == bytes.size());
    }
    EXPECT_EQ(seen, some.row.lanes);
  }
}

// Figure 6.6: the two threads' regions become one of the block.
TEST(CurdCompress, SqueezeMergesNeighbours) {
  std::array<Region, 8> out;
  Squeeze squeeze{out.data(), 0, true};
  squeeze.add({100, 28, {1, 1}});
  squeeze.add({128, 28, {1, 1}});
  squeeze.add({200, 4, {2, 1}});
  EXPECT_EQ(squeeze.count, 2U);
  EXPECT_EQ(out[0], (Region{100, 56, {1, 1}}));
  EXPECT_TRUE(squeeze.sorted);
  squeeze.add({96, 4, {2, 1}});
  EXPECT_FALSE(squeeze.sorted);
  EXPECT_EQ(squeeze.count, 3U) << "only the neighbour is looked at";
}

TEST(CurdCompress, SqueezeTellsWhenGrowingDownwardsBreaksTheOrder) {
  std::array<Region, 8> out;
  Squeeze squeeze{out.data(), 0, true};
  squeeze.add({100, 4, {1, 1}});
  squeeze.add({200, 4, {1, 1}});
  squeeze.add({50, 150, {1, 1}});
  EXPECT_EQ(squeeze.count, 2U);
  EXPECT_FALSE(squeeze.sorted);
}

}  // namespace
}  // namespace redflag::gpu::curd
