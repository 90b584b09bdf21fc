// The cache array by hand: hits, victims, invalidation, and a comparison with an obvious model.
#include "sim/mem/cache.h"

#include <gtest/gtest.h>

#include <list>
#include <vector>

namespace redflag::sim {
namespace {

using IntCache = Cache<int>;

TEST(Cache, AnyByteOfALineFindsIt) {
  IntCache c({.bytes = 4096, .ways = 4});
  IntCache::Line victim;
  EXPECT_EQ(c.lookup(0x1000), nullptr);
  EXPECT_FALSE(c.insert(0x1010, 7, victim));
  ASSERT_NE(c.lookup(0x1000), nullptr);
  EXPECT_EQ(*c.lookup(0x103f), 7);
  EXPECT_EQ(c.lookup(0x1040), nullptr);
  EXPECT_EQ(c.size(), 1U);
}

TEST(Cache, AFullSetGivesUpItsLeastRecentlyUsedLine) {
  IntCache c({.bytes = 512, .ways = 2});  // 4 sets: every 256 bytes the same set
  IntCache::Line victim;
  EXPECT_FALSE(c.insert(0x0000, 1, victim));
  EXPECT_FALSE(c.insert(0x0100, 2, victim));
  EXPECT_FALSE(c.insert(0x0040, 3, victim));  // another set
  ASSERT_NE(c.lookup(0x0000), nullptr);
  ASSERT_TRUE(c.insert(0x0220, 4, victim));
  EXPECT_EQ(victim.address, 0x0100U);
  EXPECT_EQ(victim.payload, 2);
  EXPECT_TRUE(c.contains(0x0000));
  EXPECT_TRUE(c.contains(0x0200));
  EXPECT_TRUE(c.contains(0x0040));
  EXPECT_EQ(c.size(), 3U);
}

TEST(Cache, ProbingIsNoUse) {
  IntCache c({.bytes = 128, .ways = 2});  // one set
  IntCache::Line victim;
  c.insert(0x000, 1, victim);
  c.insert(0x040, 2, victim);
  ASSERT_NE(c.probe(0x000), nullptr);
  ASSERT_TRUE(c.insert(0x080, 3, victim));
  EXPECT_EQ(victim.address, 0x000U);
}

TEST(Cache, InvalidatedWaysAreFilledFirst) {
  IntCache c({.bytes = 256, .ways = 4});
  IntCache::Line victim;
  for (std::uint64_t i = 0; i < 4; ++i) c.insert(i * 0x40, static_cast<int>(i), victim);
  int was = -1;
  EXPECT_TRUE(c.invalidate(0x80, &was));
  EXPECT_EQ(was, 2);
  EXPECT_FALSE(c.invalidate(0x80));
  EXPECT_EQ(c.lookup(0x80), nullptr);
  EXPECT_FALSE(c.insert(0x400, 9, victim));
  EXPECT_TRUE(c.insert(0x440, 9, victim));
}

TEST(Cache, SetsNeedNotBeAPowerOfTwo) {
  IntCache c({.bytes = 768, .ways = 2, .line_bytes = 128});
  EXPECT_EQ(c.shape().sets(), 3U);
  IntCache::Line victim;
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_FALSE(c.insert(i * 128, 0, victim));
  EXPECT_TRUE(c.insert(768, 0, victim));
  EXPECT_EQ(victim.address, 0U);  // lines 0, 3 and 6 share a set
}

TEST(Cache, ShapesThatCannotBe) {
  EXPECT_TRUE((CacheShape{.bytes = 32 << 10, .ways = 8}.valid()));
  EXPECT_FALSE((CacheShape{.bytes = 100, .ways = 1}.valid()));
  EXPECT_FALSE((CacheShape{.bytes = 192, .ways = 2}.valid()));
  EXPECT_FALSE((CacheShape{.bytes = 192, .ways = 1, .line_bytes = 48}.valid()));
  EXPECT_FALSE((CacheShape{.bytes = 192, .ways = 3, .policy = Policy::kTreePlru}.valid()));
}

// Ten thousand random steps against lists of lines in order of use.
TEST(Cache, AgreesWithListsInOrderOfUse) {
  constexpr std::uint32_t kWays = 4;
  constexpr std::uint32_t kSets = 8;
  IntCache c({.bytes = std::uint64_t{64} * kWays * kSets, .ways = kWays});
  std::vector<std::list<std::uint64_t>> model(kSets);
  std::uint64_t random = 12345;
  for (int step = 0; step < 10000; ++step) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t line = random >> 33 & 63;
    std::list<std::uint64_t>& set = model[line % kSets];
    const bool there = std::find(set.begin(), set.end(), line) != set.end();
    if (random >> 60 == 0) {
      ASSERT_EQ(c.invalidate(line * 64), there);
      set.remove(line);
      continue;
    }
    ASSERT_EQ(c.lookup(line * 64) != nullptr, there) << "step " << step;
    if (there) {
      set.remove(line);
    } else {
      IntCache::Line victim;
      ASSERT_EQ(c.insert(line * 64, 0, victim), set.size() == kWays);
      if (set.size() == kWays) {
        ASSERT_EQ(victim.address, set.back() * 64);
        set.pop_back();
      }
    }
    set.push_front(line);
  }
}

}  // namespace
}  // namespace redflag::sim
