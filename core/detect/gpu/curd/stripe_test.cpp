#include "core/detect/gpu/curd/stripe.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

#include "core/detect/gpu/curd/block_state.h"
#include "core/detect/gpu/curd/overlaps.h"

namespace redflag::gpu::curd {
namespace {

using Addresses = std::array<std::uint64_t, kLanes>;
constexpr LaneMask kAll = ~LaneMask{0};

Addresses even(std::uint64_t base, std::int64_t stride) {
  Addresses out{};
  for (unsigned i = 0; i < kLanes; ++i) out[i] = base + static_cast<std::uint64_t>(stride) * i;
  return out;
}

class CurdStripe : public ::testing::Test {
 protected:
  Insertion put(const Addresses& address, LaneMask lanes = kAll, std::uint32_t size = 4,
                std::uint32_t site = 1, std::uint32_t epoch = 0) {
    store.make_room();
    return insert(store.stripe(), {address.data(), lanes, size, site, epoch}, 4);
  }
  const Row& last() { return store.stripe().rows[store.stripe().count - 1]; }
  std::uint32_t rows() { return store.stripe().count; }

  StripeStore store{std::pmr::get_default_resource()};
};

TEST(CurdShape, StridesGapsAndSingleLanes) {
  const Addresses up = even(0x1000, 4), down = even(0x1000, -8), same = even(0x1000, 0);
  EXPECT_TRUE(shape_of(up.data(), kAll).even);
  EXPECT_EQ(shape_of(up.data(), kAll).stride, 4);
  EXPECT_EQ(shape_of(down.data(), kAll).stride, -8);
  EXPECT_EQ(shape_of(same.data(), kAll).stride, 0);
  const Shape gaps = shape_of(up.data(), 0b10101000);
  EXPECT_TRUE(gaps.even);
  EXPECT_EQ(gaps.base, 0x1000U) << "where lane 0 would be";
  EXPECT_EQ(shape_of(up.data(), LaneMask{1} << 9).base, 0x1000U + 36);
  Addresses odd = up;
  odd[17] += 4;
  EXPECT_FALSE(shape_of(odd.data(), kAll).even);
  EXPECT_TRUE(shape_of(odd.data(), kAll & ~(LaneMask{1} << 17)).even);
}

// Figure 6.3: the first elements of all threads, then the second ones.
TEST_F(CurdStripe, RowsOfAllLanes) {
  put(even(0x1000, 4));
  put(even(0x9000, 64));
  EXPECT_EQ(rows(), 2U);
  const Stripe& stripe = store.stripe();
  EXPECT_EQ(stripe.region(stripe.rows[0], 3), (Region{0x100C, 4, {1, 1}}));
  EXPECT_EQ(stripe.region(stripe.rows[1], 3), (Region{0x90C0, 4, {1, 1}}));
}

// 32 threads that each walk through their own row of a matrix: one comparison extends all.
TEST_F(CurdStripe, AllLanesGrowTogether) {
  put(even(0x1000, 256));
  for (unsigned i = 1; i < 64; ++i) {
    EXPECT_EQ(put(even(0x1000 + std::uint64_t{4} * i, 256)), Insertion::kLast);
  }
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(last().size, 256U);
  EXPECT_EQ(put(even(0x1010, 256), 0xFF), Insertion::kLast) << "some lanes again";
  EXPECT_EQ(put(even(0xFFC, 256)), Insertion::kLast) << "downwards";
  EXPECT_EQ(last().base, 0xFFCU);
}

TEST_F(CurdStripe, LanesThatPart) {
  put(even(0x1000, 4), 0x0000FFFF);
  EXPECT_EQ(put(even(0x1000, 4), 0xFFFF0000), Insertion::kLast) << "the other side of a branch";
  EXPECT_EQ(last().lanes, kAll);
  EXPECT_EQ(put(even(0x1004, 4), 0x0000FFFF), Insertion::kAdded) << "some would grow";
}

TEST_F(CurdStripe, CachedRowsMoveToTheEnd) {
  put(even(0x1000, 256));
  put(even(0x90000, 256));
  EXPECT_EQ(put(even(0x1004, 256)), Insertion::kCached);
  EXPECT_EQ(last().base, 0x1000U);
  EXPECT_EQ(put(even(0x1008, 256)), Insertion::kLast);
}

TEST_F(CurdStripe, ScatteredLanesGrowToo) {
  Addresses starts{};
  for (unsigned i = 0; i < kLanes; ++i) starts[i] = 0x1000 + std::uint64_t{1000} * i * i;
  EXPECT_EQ(put(starts), Insertion::kAdded);
  for (unsigned k = 1; k < 8; ++k) {
    Addresses next = starts;
    for (std::uint64_t& each : next) each += std::uint64_t{4} * k;
    EXPECT_EQ(put(next), Insertion::kLast) << k;
  }
  EXPECT_EQ(last().size, 32U);
  Addresses apart = starts;
  apart[5] += 4;
  EXPECT_EQ(put(apart), Insertion::kAdded) << "not by the same bytes";
}

TEST_F(CurdStripe, SyncsAndSourcesAreKept) {
  put(even(0x1000, 256), kAll, 4, 7);
  put(even(0x1004, 256), kAll, 4, 7);
  EXPECT_EQ(last().source, (Source{7, 1}));
  put(even(0x1008, 256), kAll, 4, 8);
  EXPECT_EQ(last().source, (Source{8, 0})) << "two sources, one kept";
  EXPECT_EQ(put(even(0x1008, 256), kAll, 4, 8, 1), Insertion::kAdded) << "behind a warp sync";
}

// Whatever was inserted is there for each lane, and nothing else; also when rows are thinned out.
TEST_F(CurdStripe, HoldsWhatWasInserted) {
  std::mt19937 random(3);
  std::array<std::set<std::uint64_t>, kLanes> bytes;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t base = 0x1000 + random() % 512;
    Addresses address = even(base, std::array<std::int64_t, 5>{0, 4, 8, 64, -4}[random() % 5]);
    if (random() % 4 == 0) address[random() % kLanes] += 4 * (random() % 3);
    const LaneMask lanes = random() % 2 == 0 ? kAll : static_cast<LaneMask>(random() | 1U);
    const std::uint32_t size = 1U << random() % 4;
    put(address, lanes, size);
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      for (std::uint32_t b = 0; b < size; ++b) bytes[lane].insert(address[lane] + b);
    }
    if (store.is_crowded()) store.thin_out();
  }
  const std::uint32_t before = rows();
  store.thin_out();
  EXPECT_LT(rows(), before);
  std::array<std::set<std::uint64_t>, kLanes> held;
  const Stripe& stripe = store.stripe();
  for (std::uint32_t r = 0; r < stripe.count; ++r) {
    for (LaneMask rest = stripe.rows[r].lanes; rest != 0; rest &= rest - 1) {
      const Region region = stripe.region(stripe.rows[r], first_lane(rest));
      for (std::uint64_t b = region.begin; b < region.end(); ++b) {
        held[first_lane(rest)].insert(b);
      }
    }
  }
  EXPECT_EQ(held, bytes);
}

// What of lanes that ended is kept over a barrier.
TEST_F(CurdStripe, KeepsSomeLanes) {
  Addresses odd = even(0x5000, 4);
  odd[1] = 0x9000;
  put(even(0x1000, 4));
  put(odd);
  store.keep([](const Row& row) { return row.scattered != 0 ? LaneMask{2} : LaneMask{0}; });
  ASSERT_EQ(rows(), 1U);
  EXPECT_TRUE(last().kept);
  EXPECT_EQ(store.stripe().region(last(), 1).begin, 0x9000U);
  EXPECT_EQ(put(odd, 2), Insertion::kAdded) << "nothing joins what is kept";
}

// Division against lane by lane.
TEST(CurdOverlaps, ByDivisionAsByComparison) {
  std::mt19937 random(4);
  Begins begins{};
  for (int round = 0; round < 20000; ++round) {
    Row row;
    row.base = 0x10000 + random() % 256;
    row.stride = std::array<std::int64_t, 8>{0, 1, 3, 4, 16, -4, -5, -64}[random() % 8];
    row.size = 1 + random() % 40;
    row.lanes = static_cast<LaneMask>(random() | 1U);
    Stripe stripe{&row, &begins, 1, 0};
    const std::uint64_t begin = 0x10000 - 2200 + random() % 4700;
    const std::uint64_t end = begin + 1 + random() % 64;
    LaneMask expected = 0;
    for (LaneMask rest = row.lanes; rest != 0; rest &= rest - 1) {
      const Region region = stripe.region(row, first_lane(rest));
      if (region.begin < end && begin < region.end()) expected |= rest & (~rest + 1);
    }
    ASSERT_EQ(overlapping(stripe, row, row.lanes, begin, end), expected) << round;
  }
}

TEST(CurdOverlaps, ThreadsMeetOthersAndNotThemselves) {
  Row reads, writes;
  reads.base = writes.base = 0x1000;
  reads.stride = writes.stride = 4;
  reads.size = writes.size = 4;
  reads.lanes = writes.lanes = kAll;
  Begins none{};
  Stripe a{&reads, &none, 1, 0}, b{&writes, &none, 1, 0};
  const auto pairs = [&](bool same_warp) {
    std::set<std::pair<unsigned, LaneMask>> out;
    each_overlap({&a, &reads, kAll}, {&b, &writes, kAll}, same_warp,
                 [&](unsigned lane, LaneMask met) {
                   out.emplace(lane, met);
                   return true;
                 });
    return out;
  };
  EXPECT_TRUE(only_own(reads, writes));
  EXPECT_TRUE(pairs(true).empty()) << "each updates its own";
  EXPECT_EQ(pairs(false).size(), 32U) << "of another warp they are others";
  reads.base += 4;  // the neighbour's
  EXPECT_FALSE(only_own(reads, writes));
  EXPECT_EQ(pairs(true).size(), 31U);
  EXPECT_TRUE(pairs(true).contains({3, LaneMask{1} << 4}));
}

}  // namespace
}  // namespace redflag::gpu::curd
