#include "core/shadow/shadow_map.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/memory.h"
#include "core/shadow/mixed_history.h"

namespace redflag {
namespace {

TEST(ShadowMap, PagesStartEmptyAndStayWhereTheyAre) {
  PageResource memory;
  {
    ShadowMap<std::uint32_t> map(&memory);
    EXPECT_EQ(map.find(5), nullptr);
    map.page(5).cells[7] = 42;
    for (std::uint64_t n = 1000; n < 20000; ++n) EXPECT_EQ(map.page(n).cells[0], 0U);
    EXPECT_EQ(map.page(5).cells[7], 42U);
    EXPECT_EQ(*map.guess(Addr{5 * kPageBytes + 7 * kGranuleBytes}), 42U);
    EXPECT_EQ(map.pages(), 19001U);
  }
  EXPECT_EQ(memory.bytes_in_use(), 0U);
}

TEST(ShadowMap, RetainDropsPages) {
  PageResource memory;
  ShadowMap<std::uint32_t> map(&memory);
  for (std::uint64_t n = 0; n < 100; ++n) map.page(n).cells[0] = static_cast<std::uint32_t>(n);
  map.retain([](std::uint64_t n, const auto&) { return n % 2 == 0; });
  EXPECT_EQ(map.pages(), 50U);
  EXPECT_EQ(map.page(10).cells[0], 10U);
  EXPECT_EQ(map.page(11).cells[0], 0U);
}

TEST(ShadowMap, APageOfEqualCellsIsOneCellUntilItIsTouched) {
  PageResource memory;
  ShadowMap<std::uint32_t> map(&memory);
  std::fill_n(map.page(3).cells, kCellsPerPage, 7U);
  EXPECT_EQ(map.whole(3), nullptr);
  map.collapse(3, 7U);
  EXPECT_EQ(map.pages(), 0U);
  ASSERT_NE(map.whole(3), nullptr);
  EXPECT_EQ(*map.whole(3), 7U);
  *map.whole(3) = 9;
  *map.whole(4) = 0;
  EXPECT_EQ(map.find(4), nullptr) << "never touched";
  EXPECT_EQ(map.page(3).cells[511], 9U);
  EXPECT_EQ(map.whole(3), nullptr);
  map.collapse(3, 9U);
  map.retain_whole([](std::uint32_t& all) { return all != 9; });
  EXPECT_EQ(map.page(3).cells[0], 0U);
}

TEST(ShadowMap, ForEachPageCutsAtPagesUpToTheEndOfMemory) {
  std::vector<std::uint64_t> cuts;
  const auto collect = [&cuts](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    cuts.insert(cuts.end(), {page, begin, end});
  };
  for_each_page(Addr{4090}, 12, collect);
  EXPECT_EQ(cuts, (std::vector<std::uint64_t>{0, 4090, 4096, 1, 0, 6}));
  cuts.clear();
  for_each_page(Addr{~std::uint64_t{0} - 7}, 7, collect);
  EXPECT_EQ(cuts, (std::vector<std::uint64_t>{(std::uint64_t{1} << 52) - 1, 4088, 4095}));
}

TEST(Shard, EveryPageHasOneOwner) {
  std::uint64_t per_shard[4] = {};
  for (std::uint64_t page = 0; page < 4000; ++page) {
    int owners = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (!Shard{i, 4}.owns(page)) continue;
      ++owners;
      ++per_shard[i];
    }
    ASSERT_EQ(owners, 1);
  }
  for (const std::uint64_t n : per_shard) EXPECT_GT(n, 800U);
}

// The table of what races with what, in mixed_history.h, row by row.
class MixedHistoryTest : public testing::Test {
 protected:
  MixedHistoryTest() : t_(&memory_) { t_.epoch = Epoch(Slot{1}, 1); }
  ~MixedHistoryTest() override { history_->destroy(&memory_); }
  void have(Mark mark) {
    history_ = MixedHistory::make(&memory_, Epoch{}, nullptr, 0);
    MixedHistory* made = history_->with(&memory_, mark, Epoch(Slot{0}, 3));
    history_->destroy(&memory_);
    history_ = made;
  }
  std::string races() {
    std::string who;
    Epoch earlier;
    EventKind kind{};
    if (history_->race(t_, false, false, earlier, kind)) who += "r";
    if (history_->race(t_, true, false, earlier, kind)) who += "w";
    if (history_->race(t_, false, true, earlier, kind)) who += "R";
    if (history_->race(t_, true, true, earlier, kind)) who += "W";
    return who;
  }
  PageResource memory_;
  ThreadClock t_;
  MixedHistory* history_ = nullptr;
};

TEST_F(MixedHistoryTest, PlainReadRacesWithWritesOnly) {
  have(Mark::kRead);
  EXPECT_EQ(races(), "wW");
}
TEST_F(MixedHistoryTest, AtomicWriteRacesWithPlainAccesses) {
  have(Mark::kAtomicWrite);
  EXPECT_EQ(races(), "rw");
}
TEST_F(MixedHistoryTest, AtomicReadRacesWithPlainWrites) {
  have(Mark::kAtomicRead);
  EXPECT_EQ(races(), "w");
}
TEST_F(MixedHistoryTest, PlainWriteRacesWithEverything) {
  history_ = MixedHistory::make(&memory_, Epoch(Slot{0}, 3), nullptr, 0);
  EXPECT_EQ(races(), "rwRW");
  t_.clock.set(Slot{0}, 3);
  EXPECT_EQ(races(), "") << "ordered";
}
TEST_F(MixedHistoryTest, KeepsTheLastOfEachKindAndSlot) {
  have(Mark::kRead);
  for (const Mark mark : {Mark::kAtomicRead, Mark::kRead, Mark::kAtomicWrite}) {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      MixedHistory* made = history_->with(&memory_, mark, Epoch(Slot{slot}, 9));
      history_->destroy(&memory_);
      history_ = made;
    }
  }
  EXPECT_TRUE(history_->has(Mark::kRead, Epoch(Slot{0}, 9)));
  EXPECT_FALSE(history_->has(Mark::kRead, Epoch(Slot{0}, 3)));
  EXPECT_TRUE(history_->has(Mark::kAtomicWrite, Epoch(Slot{2}, 9)));
  EXPECT_EQ(history_->footprint(), sizeof(MixedHistory) + 9 * sizeof(Epoch));
}

}  // namespace
}  // namespace redflag
