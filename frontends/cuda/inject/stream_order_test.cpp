#include "frontends/cuda/inject/stream_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace redflag::inject {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StreamOrderTest : public ::testing::Test {
 protected:
  static CUstream stream(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }
  static CUevent event(std::uintptr_t number) { return reinterpret_cast<CUevent>(number); }
  StreamOrder::Stream& find(std::uintptr_t number, bool per_thread = false) {
    return order_.find(kContext, stream(number), per_thread, 0);
  }
  void launch(StreamOrder::Stream& in, std::uint32_t number) {
    order_.begin_work(in);
    order_.add(in, gpu::LaunchId{number});
  }
  static std::vector<std::uint32_t> numbers(const std::vector<gpu::LaunchId>& launches) {
    std::vector<std::uint32_t> made;
    for (const gpu::LaunchId launch : launches) made.push_back(raw(launch));
    return made;
  }

  const CUcontext kContext = reinterpret_cast<CUcontext>(0x10);
  std::vector<std::string> lines_;
  StreamOrder order_{
      [this](const gpu::HostStep& step) {
        lines_.push_back(std::to_string(static_cast<int>(step.kind)) + " s" +
                         std::to_string(raw(step.stream)) + " e" + std::to_string(raw(step.event)));
      },
      [](CUstream handle) { return reinterpret_cast<std::uintptr_t>(handle) < 200; }};
};

TEST_F(StreamOrderTest, TheDefaultStreamIsTheLegacyOneOrTheThreads) {
  EXPECT_EQ(&find(0), &find(kStreamLegacy));
  EXPECT_TRUE(find(0).legacy);
  EXPECT_EQ(raw(find(0).id), 0U);
  EXPECT_EQ(&find(0, true), &find(kStreamPerThread));
  EXPECT_NE(&find(0, true), &find(0));
  EXPECT_NE(&order_.find(kContext, nullptr, true, 1), &find(0, true));
  EXPECT_EQ(raw(order_.find(kContext, stream(100), false, 0).id), 3U);
}

TEST_F(StreamOrderTest, TheLegacyStreamComesAfterBlockingStreams) {
  launch(find(100), 1);
  launch(find(300), 2);  // does not block
  lines_.clear();
  launch(find(0), 3);
  const std::string mark = "e" + std::to_string(raw(find(100).mark));
  EXPECT_THAT(lines_, ElementsAre("8 s1 " + mark, "10 s0 " + mark));
  lines_.clear();
  launch(find(0), 4);
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_THAT(numbers(order_.synchronized(find(0))), ElementsAre(3, 4, 1));
  EXPECT_THAT(numbers(order_.pending()), ElementsAre(2));
}

TEST_F(StreamOrderTest, AnEventEndsWhatCameBeforeIt) {
  launch(find(100), 1);
  launch(find(100), 2);
  order_.record(find(100), event(7));
  launch(find(100), 3);
  EXPECT_THAT(numbers(order_.synchronized(event(7))), ElementsAre(1, 2));
  EXPECT_THAT(numbers(order_.synchronized(event(7))), IsEmpty());
  EXPECT_THAT(numbers(order_.synchronized(event(8))), IsEmpty());
  EXPECT_THAT(numbers(order_.synchronized(kContext)), ElementsAre(3));
}

TEST_F(StreamOrderTest, AnEventThatWasNotRecordedIsNoOrder) {
  (void)find(100);
  lines_.clear();
  order_.wait(find(100), event(7));
  EXPECT_THAT(lines_, IsEmpty());
  order_.record(find(0), event(7));
  lines_.clear();
  order_.wait(find(300), event(7));
  ASSERT_EQ(lines_.size(), 2U);  // that it does not block, and the wait
  EXPECT_TRUE(lines_.back().starts_with("10 s2"));
}

TEST_F(StreamOrderTest, LaunchesOfADestroyedStreamEndWithTheContext) {
  launch(find(300), 1);
  order_.forget(kContext, stream(300));
  EXPECT_THAT(numbers(order_.pending()), ElementsAre(1));
  EXPECT_THAT(numbers(order_.synchronized(kContext)), ElementsAre(1));
  launch(find(100), 2);
  order_.forget(kContext);
  EXPECT_THAT(numbers(order_.pending()), IsEmpty());
}

}  // namespace
}  // namespace redflag::inject
