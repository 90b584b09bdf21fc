#include "frontends/cpu/rt/common_memory.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace redflag::rt {
namespace {

constexpr std::uint64_t kPage = CommonMemory::kPage;

TEST(CommonMemory, CountsWholePagesAndSaysWhatIsNew) {
  CommonMemory common;
  EXPECT_TRUE(common.is_empty());
  EXPECT_FALSE(common.contains(0));
  EXPECT_TRUE(common.add(10 * kPage + 8, 10 * kPage + 16));
  EXPECT_TRUE(common.contains(10 * kPage));
  EXPECT_TRUE(common.contains(11 * kPage - 1));
  EXPECT_FALSE(common.contains(11 * kPage));
  EXPECT_FALSE(common.contains(10 * kPage - 1));
  const std::uint64_t version = common.version();
  EXPECT_FALSE(common.add(10 * kPage, 11 * kPage));
  EXPECT_FALSE(common.add(10 * kPage, 10 * kPage));
  EXPECT_EQ(common.version(), version);
  EXPECT_TRUE(common.add(10 * kPage, 11 * kPage + 1));
  EXPECT_TRUE(common.contains(11 * kPage));
  EXPECT_GT(common.version(), version);
}

TEST(CommonMemory, AgreesWithASetOfPages) {
  std::mt19937 random(7);
  CommonMemory common;
  std::set<std::uint64_t> pages;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t begin = random() % 500;
    const std::uint64_t end = begin + random() % 4;
    bool is_new = false;
    for (std::uint64_t page = begin; page < end; ++page) is_new |= pages.insert(page).second;
    EXPECT_EQ(common.add(begin * kPage, end * kPage), is_new);
    for (std::uint64_t page = 0; page < 510; ++page) {
      ASSERT_EQ(common.contains(page * kPage + 5), pages.contains(page)) << page << " after " << i;
    }
  }
}

TEST(CommonMemory, TooManyRangesGrowTogetherAndNoneIsForgotten) {
  std::mt19937 random(3);
  CommonMemory common;
  std::set<std::uint64_t> pages;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t page = random() % 100000;
    pages.insert(page);
    common.add(page * kPage, (page + 1) * kPage);
    ASSERT_TRUE(common.contains(page * kPage)) << page << " after " << i;
  }
  for (const std::uint64_t page : pages) EXPECT_TRUE(common.contains(page * kPage)) << page;
}

}  // namespace
}  // namespace redflag::rt
