#include "frontends/cuda/inject/stuck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace redflag::inject {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

CUevent event(std::uintptr_t number) {
  return reinterpret_cast<CUevent>(number);
}

TEST(Stuck, AQueueOfShortLaunchesIsNot) {
  Stuck stuck;
  const Stuck::Clock::time_point begin{};
  for (std::uint32_t i = 1; i <= 3; ++i) {
    stuck.add(gpu::StreamId{1}, gpu::LaunchId{i}, event(i), begin);
  }
  std::set<CUevent> over;
  std::vector<CUevent> done;
  const auto look = [&](std::chrono::seconds after) {
    return stuck.look(
        begin + after, 10s, [&](CUevent each) { return over.contains(each); },
        [&](CUevent each) { done.push_back(each); });
  };
  EXPECT_EQ(look(9s), std::nullopt);
  over = {event(1)};
  EXPECT_EQ(look(12s), std::nullopt);  // the second began at last when the first was seen to end
  EXPECT_EQ(look(21s), std::nullopt);
  EXPECT_EQ(look(23s), gpu::LaunchId{2});
  over = {event(1), event(2), event(3)};
  EXPECT_EQ(look(24s), std::nullopt);
  EXPECT_THAT(done, ElementsAre(event(1), event(2), event(3)));
  EXPECT_EQ(look(100s), std::nullopt);
}

}  // namespace
}  // namespace redflag::inject
