// What StreamSteps counts: rounds, phases, meetings, ends.
#include "frontends/cuda/device/stream_steps.h"

#include <gtest/gtest.h>

#include <vector>

#include "frontends/cuda/emulate/testing.h"

namespace redflag::device {
namespace {

using cuda::testing::Keeper;
using cuda::testing::KeptStep;
using gpu::StepKind;

struct Steps : ::testing::Test {
  Keeper keeper;
  gpu::Launch launch;
  StreamHeap heap;
  std::unique_ptr<StreamSteps> steps;

  void begin(gpu::Dim grid, gpu::Dim block, gpu::Dim cluster = {}) {
    launch.grid = grid;
    launch.block = block;
    launch.cluster = cluster;
    steps = std::make_unique<StreamSteps>(launch, keeper, heap);
  }
  static StreamEvent by(Hook hook, std::uint32_t warp, Lanes lanes, std::uint32_t argument = 0,
                        std::uint64_t block = 0) {
    StreamEvent event;
    event.hook = hook;
    event.warp = warp;
    event.lanes = lanes;
    event.argument = argument;
    event.block = block;
    event.site = 1;
    return event;
  }
  void tell(Hook hook, std::uint32_t warp, Lanes lanes, std::uint32_t argument = 0) {
    steps->event(by(hook, warp, lanes, argument));
  }
  void barrier(Hook hook, std::uint32_t warp, Lanes lanes, std::uint32_t site = 1,
               std::uint32_t number = 0, std::uint32_t threads = 0) {
    StreamEvent event = by(hook, warp, lanes, number | threads << 8);
    event.what.aligned = true;
    event.site = site;
    steps->event(event);
  }
  void object(Hook hook, Lanes lanes, std::uint64_t count, std::int32_t bytes = 0) {
    StreamEvent event = by(hook, 0, lanes);
    event.what.order = Order::kRelease;
    for (unsigned lane = 0; lane < 32; ++lane) {
      event.address[lane] = kSharedMark | 64;
      event.value[lane] = count | std::uint64_t{static_cast<std::uint32_t>(bytes)} << 32;
    }
    steps->event(event);
  }
  std::vector<std::uint32_t> rounds(StepKind kind) const {
    std::vector<std::uint32_t> all;
    for (const KeptStep& each : keeper.of(kind)) all.push_back(each.round);
    return all;
  }
};
using Rounds = std::vector<std::uint32_t>;
constexpr Lanes kAll = ~Lanes{0};

TEST_F(Steps, RoundsOfABarrier) {
  begin({1}, {64});
  for (int i = 0; i < 3; ++i) {
    barrier(Hook::kBarrierArrive, 0, kAll);
    barrier(Hook::kBarrierArrive, 1, kAll);
    barrier(Hook::kBarrierPass, 1, kAll);
    barrier(Hook::kBarrierPass, 0, kAll);
  }
  EXPECT_EQ(rounds(StepKind::kBarrierArrive), (Rounds{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(rounds(StepKind::kBarrierPass), (Rounds{0, 0, 1, 1, 2, 2}));
}

// A warp that passed arrives again before the other has told that it passed.
TEST_F(Steps, RoundsOverlap) {
  begin({1}, {64});
  barrier(Hook::kBarrierArrive, 0, kAll);
  barrier(Hook::kBarrierArrive, 1, kAll);
  barrier(Hook::kBarrierPass, 0, kAll);
  barrier(Hook::kBarrierArrive, 0, kAll);
  barrier(Hook::kBarrierPass, 1, kAll);
  EXPECT_EQ(rounds(StepKind::kBarrierArrive), (Rounds{0, 0, 1}));
  EXPECT_EQ(rounds(StepKind::kBarrierPass), (Rounds{0, 0}));
}

TEST_F(Steps, EndedThreadsAreNotWaitedFor) {
  begin({1}, {64});
  barrier(Hook::kBarrierArrive, 0, kAll);
  tell(Hook::kExit, 1, kAll);
  barrier(Hook::kBarrierPass, 0, kAll);
  barrier(Hook::kBarrierArrive, 0, kAll);
  barrier(Hook::kBarrierPass, 0, kAll);
  EXPECT_EQ(rounds(StepKind::kBarrierPass), (Rounds{0, 1}));
  EXPECT_FALSE(steps->all_threads_ended());
  tell(Hook::kExit, 0, 0xff);
  tell(Hook::kExit, 0, ~Lanes{0xff});
  EXPECT_TRUE(steps->all_threads_ended());
}

TEST_F(Steps, NumbersOfThreadsCountWholeWarps) {
  begin({1}, {72});  // the third warp has 8 lanes
  for (int i = 0; i < 2; ++i) {
    barrier(Hook::kBarrierArrive, 2, 0xff, 1, 3, 64);
    barrier(Hook::kBarrierArrive, 0, kAll, 1, 3, 64);
    barrier(Hook::kBarrierPass, 0, kAll, 1, 3, 64);
    barrier(Hook::kBarrierPass, 2, 0xff, 1, 3, 64);
  }
  EXPECT_EQ(rounds(StepKind::kBarrierArrive), (Rounds{0, 0, 1, 1}));
  EXPECT_EQ(keeper.of(StepKind::kBarrierArrive)[0].expected, 64U);
  EXPECT_EQ(keeper.of(StepKind::kBarrierArrive)[0].object, 3U);
}

TEST_F(Steps, PartsOfAWarpArriveTogether) {
  begin({1}, {64});
  barrier(Hook::kBarrierArrive, 0, 0xffff);
  EXPECT_TRUE(keeper.of(StepKind::kBarrierArrive).empty());
  barrier(Hook::kBarrierArrive, 1, kAll);
  barrier(Hook::kBarrierArrive, 0, ~Lanes{0xffff});
  const std::vector<KeptStep> all = keeper.of(StepKind::kBarrierArrive);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].lanes, kAll);
  barrier(Hook::kBarrierPass, 0, kAll);
  EXPECT_EQ(rounds(StepKind::kBarrierPass), (Rounds{0}));
}

TEST_F(Steps, PartsThatPassWereAllOfIt) {
  begin({1}, {64});
  barrier(Hook::kBarrierArrive, 0, 0xffff);
  barrier(Hook::kBarrierArrive, 1, kAll);
  barrier(Hook::kBarrierPass, 1, kAll);
  const std::vector<KeptStep> all = keeper.of(StepKind::kBarrierArrive);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].lanes, 0xffffU);
  EXPECT_EQ(keeper.steps.back().kind, StepKind::kBarrierPass);
}

TEST_F(Steps, WhatIsHeldIsToldAtTheEnd) {
  begin({1}, {32});
  barrier(Hook::kBarrierArrive, 0, 1);
  steps->finish();
  EXPECT_EQ(keeper.of(StepKind::kBarrierArrive).size(), 1U);
}

TEST_F(Steps, OtherPlacesAreOtherArrivals) {
  begin({1}, {32});
  barrier(Hook::kBarrierArrive, 0, 0xffff, 1);
  barrier(Hook::kBarrierArrive, 0, ~Lanes{0xffff}, 2);
  barrier(Hook::kBarrierPass, 0, 0xffff, 1);
  barrier(Hook::kBarrierPass, 0, ~Lanes{0xffff}, 2);
  const std::vector<KeptStep> all = keeper.of(StepKind::kBarrierArrive);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(raw(all[0].site), 1U);
  EXPECT_EQ(raw(all[1].site), 2U);
  EXPECT_EQ(rounds(StepKind::kBarrierPass), (Rounds{0, 0}));
}

TEST_F(Steps, MeetingsOfLanes) {
  begin({1}, {32});
  tell(Hook::kWarpSync, 0, 0x0f, 0xff);
  tell(Hook::kWarpSync, 0, 0x0f, 0xff);  // again, before the others have told of the first
  tell(Hook::kWarpSync, 0, 0xf0, 0xff);
  tell(Hook::kWarpSync, 0, 0xf0, 0xff);
  const std::vector<KeptStep> all = keeper.of(StepKind::kWarpSync);
  ASSERT_EQ(all.size(), 2U);
  for (const KeptStep& each : all) {
    EXPECT_EQ(each.lanes, 0xffU);
    EXPECT_EQ(each.converged, 0x0fU);
  }
}

TEST_F(Steps, EndedLanesMeetNobody) {
  begin({1}, {32});
  tell(Hook::kExit, 0, 0xf0);
  tell(Hook::kWarpSync, 0, 0x0f, 0xff);
  ASSERT_EQ(keeper.of(StepKind::kWarpSync).size(), 1U);
  EXPECT_EQ(keeper.of(StepKind::kWarpSync)[0].lanes, 0x0fU);
}

TEST_F(Steps, LanesPartAndMeet) {
  begin({1}, {32});
  tell(Hook::kFence, 0, kAll);
  tell(Hook::kFence, 0, 0xff);
  tell(Hook::kFence, 0, 0x0f);  // a branch in a branch
  tell(Hook::kFence, 0, 0xff00);
  tell(Hook::kFence, 0, 0xff);
  tell(Hook::kFence, 0, kAll);
  tell(Hook::kFence, 0, kAll);
  std::vector<std::pair<Lanes, Lanes>> parted;
  for (const KeptStep& each : keeper.of(StepKind::kBranch)) {
    parted.emplace_back(each.lanes, each.other);
  }
  EXPECT_EQ(parted, (std::vector<std::pair<Lanes, Lanes>>{
                        {0xff, 0xffffff00}, {0x0f, 0xf0}, {0xff00, 0xffff0000}}));
  std::vector<Lanes> met;
  for (const KeptStep& each : keeper.of(StepKind::kReconverge)) met.push_back(each.lanes);
  EXPECT_EQ(met, (std::vector<Lanes>{0xff, kAll}));
}

TEST_F(Steps, PhasesOfABarrierObject) {
  begin({1}, {32});
  object(Hook::kMbarrierInit, 1, 3);
  object(Hook::kMbarrierArrive, 0xf, 1);  // three complete a phase, the fourth begins the next
  object(Hook::kMbarrierWait, 1, 0);
  object(Hook::kMbarrierArrive, 1, 2);
  object(Hook::kMbarrierWait, 1, 0);
  EXPECT_EQ(rounds(StepKind::kMbarrierArrive), (Rounds{0, 1, 1}));
  EXPECT_EQ(keeper.of(StepKind::kMbarrierArrive)[0].lanes, 7U);
  EXPECT_EQ(rounds(StepKind::kMbarrierWait), (Rounds{0, 1}));
}

TEST_F(Steps, PhasesWaitForBytes) {
  begin({1}, {32});
  object(Hook::kMbarrierInit, 1, 1);
  object(Hook::kMbarrierArrive, 1, 1, 256);
  object(Hook::kAsyncArrive, 1, 0, 128);
  object(Hook::kAsyncArrive, 1, 0, 128);
  object(Hook::kMbarrierWait, 1, 0);
  object(Hook::kMbarrierArrive, 1, 1);
  EXPECT_EQ(rounds(StepKind::kAsyncArrive), (Rounds{0, 0}));
  EXPECT_EQ(rounds(StepKind::kMbarrierWait), (Rounds{0}));
  EXPECT_EQ(rounds(StepKind::kMbarrierArrive), (Rounds{0, 1}));
}

TEST_F(Steps, ClustersMeet) {
  begin({4}, {32}, {2});
  for (const std::uint64_t block : {0, 2, 1}) {
    steps->event(by(Hook::kClusterArrive, 0, kAll, 0, block));
  }
  steps->event(by(Hook::kClusterPass, 0, kAll, 0, 1));
  steps->event(by(Hook::kClusterArrive, 0, kAll, 0, 1));
  EXPECT_EQ(rounds(StepKind::kClusterArrive), (Rounds{0, 0, 0, 1}));
  EXPECT_EQ(rounds(StepKind::kClusterPass), (Rounds{0}));
}

TEST_F(Steps, SharedMemoryOfAnotherBlock) {
  begin({4, 4}, {32}, {2, 2});
  StreamEvent event = by(Hook::kLoad, 0, 3, 0, 10);  // (2,2), rank 0 of its cluster
  event.what.bytes = 4;
  event.address[0] = kSharedMark | 12;
  event.address[1] = kSharedMark | std::uint64_t{3 + 1} << kRankBit | 16;  // rank 3: (3,3)
  steps->event(event);
  const std::vector<KeptStep> all = keeper.of(StepKind::kRead);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].addresses[0], gpu::shared_address(10, 12));
  EXPECT_EQ(all[0].addresses[1], gpu::shared_address(15, 16));
}

TEST_F(Steps, LargeCopiesAreToldInPieces) {
  begin({1}, {32});
  StreamEvent event = by(Hook::kAsyncCopy, 0, 1);
  event.address[0] = kSharedMark;
  event.source[0] = 4096;
  event.value[0] = 300;
  steps->event(event);
  const std::vector<KeptStep> all = keeper.of(StepKind::kAsyncCopy);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].size, 44U);
  EXPECT_EQ(all[2].addresses[0], gpu::shared_address(0, 256));
  EXPECT_EQ(all[2].sources[0], 4096U + 256);
}

// As the emulator tells it: who frees writes, and memory begins anew.
TEST_F(Steps, MallocAndFreeAreToldWithTheirBytes) {
  begin({}, {32, 1, 1});
  StreamEvent made = by(Hook::kMalloc, 0, 2);
  made.address[1] = 0x1000;
  made.value[1] = 200;
  steps->event(made);
  StreamEvent gone = by(Hook::kFree, 0, 1);
  gone.address[0] = 0x1000;
  steps->event(gone);
  steps->event(gone);  // nobody has it any more
  ASSERT_EQ(keeper.hosted.size(), 2U);
  EXPECT_EQ(keeper.hosted[0].kind, gpu::HostKind::kAlloc);
  EXPECT_EQ(keeper.hosted[1].kind, gpu::HostKind::kFree);
  EXPECT_EQ(keeper.hosted[1].address, 0x1000U);
  EXPECT_EQ(keeper.hosted[1].size, 200U);
  const auto writes = keeper.of(StepKind::kWrite);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[1].addresses[0], 0x1080U);
  EXPECT_EQ(writes[1].size, 72);
}

}  // namespace
}  // namespace redflag::device
