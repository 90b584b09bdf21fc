#include "frontends/cuda/inject/copy_steps.h"

#include <gtest/gtest.h>

namespace redflag::inject {
namespace {

using Row = std::pair<std::uint64_t, std::uint64_t>;

std::vector<Row> rows(const Steps& steps, gpu::HostKind kind) {
  std::vector<Row> made;
  for (const gpu::HostStep& step : steps) {
    if (step.kind == kind) made.emplace_back(step.address, step.size);
  }
  return made;
}

TEST(CopySteps, RowsWithNothingBetweenAreOne) {
  Steps steps;
  add_steps(steps, gpu::HostKind::kWrite, {100, 8, 16}, {8, 2, 3});
  EXPECT_EQ(rows(steps, gpu::HostKind::kWrite), (std::vector<Row>{{100, 48}}));
  steps.clear();
  add_steps(steps, gpu::HostKind::kWrite, {100, 10, 40}, {8, 2, 2});
  EXPECT_EQ(rows(steps, gpu::HostKind::kWrite),
            (std::vector<Row>{{100, 8}, {110, 8}, {140, 8}, {150, 8}}));
  steps.clear();
  add_steps(steps, gpu::HostKind::kWrite, {0, 8}, {8, 2});
  EXPECT_TRUE(steps.empty());
}

TEST(CopySteps, ACopyReadsAndWritesAndAnArrayHasNoAddress) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = kMemoryDevice;
  copy.srcDevice = 1000;
  copy.srcPitch = 16;
  copy.srcHeight = 4;
  copy.srcY = 1;
  copy.srcXInBytes = 4;
  copy.dstMemoryType = kMemoryDevice;
  copy.dstDevice = 5000;
  copy.dstPitch = 8;
  copy.dstHeight = 2;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  copy.Depth = 1;
  EXPECT_EQ(rows(steps_of(copy, {}), gpu::HostKind::kRead),
            (std::vector<Row>{{1020, 8}, {1036, 8}}));
  EXPECT_EQ(rows(steps_of(copy, {}), gpu::HostKind::kWrite), (std::vector<Row>{{5000, 16}}));
  copy.srcMemoryType = kMemoryArray;
  EXPECT_TRUE(rows(steps_of(copy, {}), gpu::HostKind::kRead).empty());
}

TEST(CopySteps, AFillCountsElements) {
  const CUDA_MEMSET_NODE_PARAMS fill{.dst = 100,
                                     .pitch = 64,
                                     .value = 7,
                                     .elementSize = 4,
                                     .width = 3,
                                     .height = 2,
                                     .ctx = nullptr};
  EXPECT_EQ(rows(steps_of(fill), gpu::HostKind::kWrite), (std::vector<Row>{{100, 12}, {164, 12}}));
}

}  // namespace
}  // namespace redflag::inject
