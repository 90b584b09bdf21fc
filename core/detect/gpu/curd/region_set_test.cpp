#include "core/detect/gpu/curd/region_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace redflag::gpu::curd {
namespace {

Region at(std::uint64_t begin, std::uint32_t size, std::uint32_t site = 1) {
  return {begin, size, {site, 1}};
}

// A set with its memory.
struct Set {
  std::vector<Region> regions = std::vector<Region>(64);
  std::uint32_t count = 0;

  Insertion put(const Region& region, std::uint32_t most = 64) {
    if (count + 1 >= regions.size()) regions.resize(regions.size() * 2);
    const Inserted done = insert(regions.data(), count, region, most);
    count = done.count;
    return done.how;
  }
  std::vector<Region> all() const { return {regions.begin(), regions.begin() + count}; }
};

TEST(CurdRegion, TouchingIsMoreThanOverlapping) {
  EXPECT_TRUE(overlap(at(0, 4), at(3, 4)));
  EXPECT_FALSE(overlap(at(0, 4), at(4, 4)));
  EXPECT_TRUE(touch(at(0, 4), at(4, 4)));
  EXPECT_TRUE(touch(at(4, 4), at(0, 4)));
  EXPECT_FALSE(touch(at(0, 4), at(5, 4)));
  EXPECT_EQ(common(at(0, 8), at(4, 8)), at(4, 4));
}

// Section 6.2: set if and only if it is set in both and the sources are the same.
TEST(CurdRegion, CompleteBit) {
  EXPECT_EQ(merged(at(0, 4, 7), at(4, 4, 7)).source, (Source{7, 1}));
  EXPECT_EQ(merged(at(0, 4, 7), at(4, 4, 8)).source, (Source{8, 0})) << "the newer one's";
  const Region lost = merged(at(0, 4, 7), at(4, 4, 8));
  EXPECT_EQ(merged(lost, at(8, 4, 8)).source, (Source{8, 0})) << "once lost, always";
}

TEST(CurdRegion, AtTheEndOfMemory) {
  const Region last{~std::uint64_t{0} - 2, 16, {}};
  EXPECT_EQ(last.end(), ~std::uint64_t{0});
  EXPECT_FALSE(overlap(last, at(0, 4))) << "does not wrap";
}

// Figure 6.2: the load is adjacent to the first region and overlaps the second; the third stays.
TEST(CurdRegionSet, Figure62) {
  Set set;
  set.put(at(0x100, 0x10));
  set.put(at(0x118, 0x10));
  set.put(at(0x200, 8));
  EXPECT_EQ(set.put(at(0x110, 0x10)), Insertion::kCached);
  ASSERT_EQ(set.count, 2U);
  EXPECT_EQ(set.all()[0], at(0x200, 8));
  EXPECT_EQ(set.all()[1], at(0x100, 0x28)) << "merged, and moved to the end";
}

// "Caching Thread-Set Insertions": from the last element, and a bounded number of them.
TEST(CurdRegionSet, BoundedAndCached) {
  Set set;
  EXPECT_EQ(set.put(at(0, 4), 2), Insertion::kAdded);
  EXPECT_EQ(set.put(at(4, 4), 2), Insertion::kLast);
  EXPECT_EQ(set.put(at(100, 4), 2), Insertion::kAdded);
  EXPECT_EQ(set.put(at(8, 4), 2), Insertion::kCached);
  EXPECT_EQ(set.put(at(12, 4), 2), Insertion::kLast) << "what was merged is last now";
  set.put(at(200, 4), 2);
  set.put(at(300, 4), 2);
  EXPECT_EQ(set.put(at(16, 4), 2), Insertion::kAdded) << "beyond the bound: adjacent, and apart";
  EXPECT_EQ(set.count, 5U);
}

// Searching all, sets are disjoint and not adjacent; searching some, they hold the same bytes.
TEST(CurdRegionSet, HoldsWhatWasInserted) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t most = round % 2 == 0 ? 1000 : 1 + round % 5;
    Set set;
    std::set<std::uint64_t> bytes;
    for (int i = 0; i < 60; ++i) {
      const Region region = at(random() % 200, 1 + random() % 8);
      set.put(region, most);
      for (std::uint64_t b = region.begin; b < region.end(); ++b) bytes.insert(b);
    }
    std::set<std::uint64_t> held;
    for (const Region& region : set.all()) {
      for (std::uint64_t b = region.begin; b < region.end(); ++b) held.insert(b);
    }
    EXPECT_EQ(held, bytes);
    if (most < 1000) continue;
    for (std::uint32_t i = 0; i < set.count; ++i) {
      for (std::uint32_t j = 0; j < i; ++j) EXPECT_FALSE(touch(set.regions[i], set.regions[j]));
    }
  }
}

TEST(CurdRegionSet, SortedMergedAndIntersected) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Region> sets[2];
    std::set<std::uint64_t> bytes[2];
    for (int s = 0; s < 2; ++s) {
      for (unsigned i = 0; i < 1 + random() % 12; ++i) {
        sets[s].push_back(at(random() % 200, 1 + random() % 6));
        const Region& region = sets[s].back();
        for (std::uint64_t b = region.begin; b < region.end(); ++b) bytes[s].insert(b);
      }
      const auto count = static_cast<std::uint32_t>(sets[s].size());
      sort(sets[s].data(), count);
      EXPECT_TRUE(is_sorted(sets[s].data(), count));
      sets[s].resize(merge_sorted(sets[s].data(), count));
    }
    bool expected = false;
    for (const std::uint64_t b : bytes[0]) expected |= bytes[1].contains(b);
    Meeting where;
    EXPECT_EQ(meet(sets[0].data(), static_cast<std::uint32_t>(sets[0].size()), sets[1].data(),
                   static_cast<std::uint32_t>(sets[1].size()), where),
              expected);
  }
}

}  // namespace
}  // namespace redflag::gpu::curd
