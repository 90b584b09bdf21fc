#include "core/detect/fasttrack/fasttrack.h"

#include "core/detect/testing.h"

namespace redflag::fasttrack {
namespace {

using namespace make;

constexpr std::uint64_t kX = 0x1000;

struct FastTrackTest : testing::Test {
  std::uint64_t count(FastRule rule) { return bench.detector().count(rule); }
  Bench<FastTrack> bench;
};

TEST_F(FastTrackTest, EveryRuleOfFigure33) {
  bench.run({read(0, kX), read(0, kX)});
  EXPECT_EQ(count(FastRule::kReadExclusive), 1U);
  EXPECT_EQ(count(FastRule::kReadSameEpoch), 1U);
  bench.run({write(0, kX), write(0, kX)});
  EXPECT_EQ(count(FastRule::kWriteExclusive), 1U);
  EXPECT_EQ(count(FastRule::kWriteSameEpoch), 1U);
  bench.run({fork(0, 1), fork(0, 2), read(1, kX), read(2, kX)});
  EXPECT_EQ(count(FastRule::kReadInflate), 1U);
  bench.run({read(0, kX), read(0, kX)});
  EXPECT_EQ(count(FastRule::kReadShared), 1U);
  EXPECT_EQ(count(FastRule::kReadSharedSameEpoch), 1U);
  bench.run({join(0, 1), join(0, 2), write(0, kX)});
  EXPECT_EQ(count(FastRule::kWriteShared), 1U);
  EXPECT_TRUE(bench.races().empty());
}

TEST_F(FastTrackTest, FindsEachClassOnTheRightBytes) {
  bench.run({fork(0, 1), write(0, kX, 4), write(1, kX + 2, 4)});
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].addr, Addr{kX + 2});
  EXPECT_EQ(bench.races()[0].size, 2U);
  EXPECT_EQ(bench.races()[0].first.thread, ThreadId{0});
}

TEST_F(FastTrackTest, ThreadsBeyondTheReadVectorMakeItGrow) {
  std::vector<Event> events;
  for (std::uint32_t t = 1; t <= 40; ++t) events.push_back(fork(0, t));
  for (std::uint32_t t = 1; t <= 40; ++t) events.push_back(read(t, kX));
  for (std::uint32_t t = 1; t < 40; ++t) events.push_back(join(0, t));
  events.push_back(write(0, kX));
  bench.run(events);
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].first.thread, ThreadId{40});
}

}  // namespace
}  // namespace redflag::fasttrack
