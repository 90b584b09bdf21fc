// Every rule of ptx_model by itself, and the examples of the papers: ScoRD figures 3 to 5, iGUARD
// figures 1 to 3 and 10.
#include "core/detect/gpu/ptx_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Races = std::vector<std::string>;

const PtxModelOptions kPtxLevel{.strictness = Strictness::kPtx};
constexpr By kFirst{0, 0, 1};   // thread 0 of block 0
constexpr By kSecond{0, 0, 2};  // its neighbour in the warp
constexpr By kWarp1{0, 1, 1};   // another warp
constexpr By kBlock1{1, 0, 1};  // another block

// What threads do alone.

TEST(ProgramOrder, OrdersALane) {
  Kernel k(1, 32);
  k.write(kFirst);
  k.read(kFirst);
  k.write(kFirst);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Conflict, TwoReadsDoNot) {
  Kernel k(2, 32);
  k.read(kFirst);
  k.read(kBlock1);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Conflict, OnlyOfCommonBytes) {
  Kernel k(2, 32);
  Step s = k.make(kFirst, StepKind::kWrite, kData);
  s.size = 1;
  k.put(s);
  s = k.make(kBlock1, StepKind::kWrite, kData + 1);
  s.size = 1;
  k.put(s);
  EXPECT_THAT(k.races(), IsEmpty());
  s = k.make(kBlock1, StepKind::kRead, kData);
  s.size = 4;
  k.put(s);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

TEST(Class, FollowsTheDistance) {
  Kernel k(4, 64, {}, 2);
  k.write(kFirst);
  k.read(kSecond);
  k.write(kFirst, kData + 4);
  k.read(kWarp1, kData + 4);
  k.write(kFirst, kData + 8);
  k.read(kBlock1, kData + 8);
  k.write(kFirst, kData + 12);
  k.read({2, 0, 1}, kData + 12);
  EXPECT_THAT(k.races(), ElementsAre("intra-warp", "intra-block", "inter-block", "inter-cluster"));
  const std::vector<GpuRace> races = k.model.races();
  EXPECT_EQ(races[0].enough, Enough::kWarpSync);
  EXPECT_EQ(races[1].enough, Enough::kBlockBarrier);
  EXPECT_EQ(races[2].enough, Enough::kClusterBarrier);
  EXPECT_EQ(races[3].enough, Enough::kGridOrder);
}

TEST(Class, SharedMemoryIsToldApartByBlock) {
  Kernel k(2, 64);
  k.write(kFirst, shared_address(0, 0));
  k.write(kBlock1, shared_address(1, 0));
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kWarp1, shared_address(0, 0));
  ASSERT_THAT(k.races(), ElementsAre("intra-block"));
  EXPECT_EQ(k.model.races()[0].space, Space::kShared);
}

// Numbers of sites are small and neighbours: sums or differences of them are no keys.
TEST(Races, EveryPairOfSitesIsItsOwn) {
  Kernel k(2, 32);
  std::uint64_t address = kData;
  std::size_t pairs = 0;
  const auto access = [&](By by, StepKind kind, std::uint32_t site) {
    Step s = k.make(by, kind, address);
    s.site = SiteId{site};
    k.put(s);
  };
  for (std::uint32_t first = 1; first < 20; ++first) {
    for (std::uint32_t second = 1; second < 20; ++second, ++pairs, address += 4) {
      access({0, 0, 1}, StepKind::kWrite, first);
      access({1, 0, 1}, StepKind::kRead, second);
    }
  }
  EXPECT_EQ(k.races().size(), pairs);
}

// Warps.

TEST(SameInstruction, TwoLanesWriteOneAddress) {
  Kernel k(1, 32);
  k.write({0, 0, 3});
  ASSERT_THAT(k.races(), ElementsAre("intra-warp"));
  EXPECT_FALSE(k.model.races()[0].same_value);
}

TEST(SameInstruction, TheSameValueIsFilteredUnlessAskedFor) {
  for (const bool filter : {true, false}) {
    Kernel k(1, 32, {.filter_same_value = filter});
    Step s = k.make({0, 0, 3}, StepKind::kWrite, kData);
    k.values.fill(7);
    s.value = k.values.data();
    k.put(s);
    EXPECT_EQ(k.races().size(), filter ? 0U : 1U);
    if (!filter) {
      EXPECT_TRUE(k.model.races()[0].same_value);
    }
  }
}

TEST(SameInstruction, OneOfManyLanesWritesAnotherValue) {
  Kernel k(1, 32);
  Step s = k.make({0, 0, 0xFF}, StepKind::kWrite, kData);
  k.values.fill(7);
  k.values[5] = 8;
  s.value = k.values.data();
  k.put(s);
  ASSERT_THAT(k.races(), ElementsAre("intra-warp"));
  EXPECT_EQ(k.model.races()[0].second.thread, 5U);
}

TEST(SameInstruction, LanesApartInTheOrderOfAddressesAreSeenToo) {
  Kernel k(1, 32);
  Step s = k.make({0, 0, 7}, StepKind::kWrite, kData);
  k.addresses = {kData, kData + 8, kData};
  k.put(s);
  EXPECT_THAT(k.races(), ElementsAre("intra-warp"));
}

TEST(WarpSync, OrdersItsLanesOnly) {
  Kernel k(1, 32);
  k.write(kFirst);
  k.sync_warp({0, 0, 3});
  k.read(kSecond);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read({0, 0, 4});
  EXPECT_THAT(k.races(), ElementsAre("intra-warp"));
}

TEST(Convergence, ExemptsLanesThatGoTogetherAtLevelCudaOnly) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(1, 32, {.strictness = level});
    k.write({0, 0, kAllLanes}, kData, 4);
    k.read({0, 0, kAllLanes}, kData + 4, 4);
    EXPECT_EQ(k.races().empty(), level == Strictness::kCuda);
  }
}

TEST(BranchOrdering, IsARaceBetweenThePaths) {
  Kernel k(1, 32);
  k.branch(kFirst, 2);
  k.write(kFirst);
  k.write(kSecond);
  EXPECT_THAT(k.races(), ElementsAre("branch-ordering"));
}

TEST(BranchOrdering, NotOfWhatWasBeforeTheBranch) {
  Kernel k(1, 32);
  k.write(kFirst);
  k.branch(kFirst, 2);
  k.write(kSecond);
  EXPECT_THAT(k.races(), ElementsAre("intra-warp"));
}

// Barriers.

TEST(BlockBarrier, OrdersTheBlock) {
  Kernel k(2, 96);
  k.write({0, 0, kAllLanes}, kData, 4);
  k.barrier(0);
  k.read({0, 2, kAllLanes}, kData, 4);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kBlock1);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

TEST(BlockBarrier, WhatFollowsItIsNotOrdered) {
  Kernel k(1, 64);
  k.barrier(0);
  k.write(kFirst);
  k.read(kWarp1);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
}

TEST(BlockBarrier, WhoOnlyArrivesPublishesWhatCameBefore) {
  Kernel k(1, 64);
  k.write({0, 0, 1});
  k.arrive({0, 0, kAllLanes}, 1, 0, 64);
  k.write({0, 0, 1}, kData + 4);
  k.arrive({0, 1, kAllLanes}, 1, 0, 64);
  k.pass({0, 1, kAllLanes}, 1, 0);
  k.read(kWarp1);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kWarp1, kData + 4);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
}

TEST(BlockBarrier, OfSomeWarpsOrdersThese) {
  Kernel k(1, 96);
  k.write(kFirst);
  k.write(kFirst, kData + 4);
  for (const std::uint32_t w : {0U, 1U}) k.arrive({0, w, kAllLanes}, 2, 0, 64, true, SiteId{90});
  for (const std::uint32_t w : {0U, 1U}) k.pass({0, w, kAllLanes}, 2, 0);
  k.read(kWarp1);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read({0, 2, 1}, kData + 4);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
}

TEST(BlockBarrier, ThreadsThatEndedAreNotWaitedForNorOrdered) {
  Kernel k(1, 64);
  k.write({0, 1, 1});
  k.put(k.make({0, 1, kAllLanes}, StepKind::kExit));
  k.arrive({0, 0, kAllLanes});
  k.pass({0, 0, kAllLanes});
  k.read(kFirst);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
}

TEST(BarrierDivergence, APartOfAWarpArrivesAlone) {
  Kernel k(1, 32);
  k.arrive({0, 0, 0xFFFF});
  k.end();
  ASSERT_THAT(k.races(), ElementsAre("barrier-divergence"));
  EXPECT_EQ(k.model.races()[0].second.thread, 16U);
}

TEST(BarrierDivergence, NotWhenLanesComeOneAfterTheOther) {
  Kernel k(1, 32);
  k.arrive({0, 0, 0xFFFF}, 0, 0, 0, true, SiteId{90});
  k.arrive({0, 0, 0xFFFF0000}, 0, 0, 0, true, SiteId{90});
  k.pass({0, 0, kAllLanes});
  k.end();
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(BarrierDivergence, TwoBarriersOfOneRound) {
  Kernel k(1, 64);
  k.arrive({0, 0, kAllLanes}, 0, 0, 0, true, SiteId{90});
  k.arrive({0, 1, kAllLanes}, 0, 0, 0, true, SiteId{91});
  EXPECT_THAT(k.races(), ElementsAre("barrier-divergence"));
}

TEST(ClusterBarrier, OrdersTheCluster) {
  Kernel k(4, 32, {}, 2);
  k.write(kFirst);
  k.write(kFirst, kData + 4);
  for (const std::uint64_t b : {0U, 1U}) {
    Step s = k.make({b, 0, kAllLanes}, StepKind::kClusterArrive);
    s.order = Order::kRelease;
    k.put(s);
  }
  Step s = k.make({1, 0, kAllLanes}, StepKind::kClusterPass);
  k.put(s);
  k.read(kBlock1);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read({2, 0, 1}, kData + 4);
  EXPECT_THAT(k.races(), ElementsAre("inter-cluster"));
}

TEST(ClusterBarrier, RelaxedArrivalPublishesOnlyWhatAFenceDid) {
  Kernel k(2, 32, {}, 2);
  k.write(kFirst);
  k.fence(kFirst, Scope::kCluster);
  k.write(kFirst, kData + 4);
  Step s = k.make({0, 0, kAllLanes}, StepKind::kClusterArrive);
  s.order = Order::kRelaxed;
  k.put(s);
  k.put(k.make({1, 0, kAllLanes}, StepKind::kClusterPass));
  k.read(kBlock1);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kBlock1, kData + 4);
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(BarrierObject, OrdersWhoWaitsAfterWhoArrived) {
  const std::uint64_t object = shared_address(0, 64);
  Kernel k(1, 64);
  k.object(kFirst, StepKind::kMbarrierInit, object);
  k.barrier(0);
  k.write(kFirst);
  k.object(kFirst, StepKind::kMbarrierArrive, object);
  k.object(kWarp1, StepKind::kMbarrierWait, object, 0, Order::kAcquire);
  k.read(kWarp1);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(BarrierObject, MustBeMadeBeforeItIsUsed) {
  Kernel k(1, 64);
  k.object(kFirst, StepKind::kMbarrierInit, shared_address(0, 64));
  k.object(kWarp1, StepKind::kMbarrierArrive, shared_address(0, 64));
  EXPECT_EQ(k.races().size(), 1U);
}

// Asynchronous copies.

TEST(AsyncCopy, RacesUntilItsThreadHasWaited) {
  Kernel k(1, 32);
  const By warp{0, 0, kAllLanes};
  k.copy(warp, shared_address(0, 0), kData);
  k.read(kFirst, shared_address(0, 0));
  ASSERT_THAT(k.races(), ElementsAre("async-copy"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWaitForCopy);
}

TEST(AsyncCopy, WaitOrdersTheThreadAndABarrierTheOthers) {
  Kernel k(1, 64);
  const By warp{0, 0, kAllLanes};
  k.copy(warp, shared_address(0, 0), kData);
  k.put(k.make(warp, StepKind::kAsyncCommit));
  k.wait(warp, 0);
  k.read(warp, shared_address(0, 0), 4);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kWarp1, shared_address(0, 0));
  EXPECT_THAT(k.races(), ElementsAre("async-copy"));
}

TEST(AsyncCopy, BarrierAfterTheWaitIsEnough) {
  Kernel k(1, 64);
  const By warp{0, 0, kAllLanes};
  k.copy(warp, shared_address(0, 0), kData);
  k.wait(warp, ~0U);
  k.barrier(0);
  k.read({0, 1, kAllLanes}, shared_address(0, 0), 4);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(AsyncCopy, BarrierBeforeTheWaitIsNot) {
  Kernel k(1, 64);
  const By warp{0, 0, kAllLanes};
  k.copy(warp, shared_address(0, 0), kData);
  k.barrier(0);
  k.wait(warp, ~0U);
  k.read(kWarp1, shared_address(0, 0));
  EXPECT_THAT(k.races(), ElementsAre("async-copy"));
}

TEST(AsyncCopy, PendingGroupsAreNotWaitedFor) {
  Kernel k(1, 32);
  const By warp{0, 0, kAllLanes};
  k.copy(warp, shared_address(0, 0), kData);
  k.put(k.make(warp, StepKind::kAsyncCommit));
  k.copy(warp, shared_address(0, 128), kData);
  k.put(k.make(warp, StepKind::kAsyncCommit));
  k.wait(warp, 1);
  k.read(warp, shared_address(0, 0), 4);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kFirst, shared_address(0, 128));
  EXPECT_THAT(k.races(), ElementsAre("async-copy"));
}

TEST(AsyncCopy, ArrivesAtABarrierObject) {
  Kernel k(1, 64);
  const By warp{0, 0, kAllLanes};
  const std::uint64_t object = shared_address(0, 1024);
  k.copy(warp, shared_address(0, 0), kData);
  Step s = k.make(warp, StepKind::kAsyncArrive, object);
  k.put(s);
  k.object(kWarp1, StepKind::kMbarrierWait, object, 0, Order::kAcquire);
  k.read(kWarp1, shared_address(0, 0));
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(AsyncCopy, ItsSourceMustNotChange) {
  Kernel k(1, 64);
  k.copy({0, 0, kAllLanes}, shared_address(0, 0), kData);
  k.write(kFirst, kData);
  EXPECT_THAT(k.races(), ElementsAre("async-copy"));
}

// Host and streams.

TEST(Host, LaunchesOfOneStreamAreOrdered) {
  Kernel k(2, 32);
  k.write(kFirst);
  k.end();
  k.begin();
  k.read(kBlock1);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Host, StreamsThatDoNotWaitRace) {
  for (const bool waits : {false, true}) {
    Kernel k(2, 32);
    k.end();
    k.launch.stream = StreamId{1};
    k.begin();
    k.write(kFirst);
    k.end();
    if (waits) {
      k.host(HostKind::kRecordEvent, 0, 0, false, StreamId{1}, HostEventId{5});
      k.host(HostKind::kStreamWait, 0, 0, false, StreamId{2}, HostEventId{5});
    }
    k.launch.stream = StreamId{2};
    k.begin();
    k.read(kBlock1);
    EXPECT_EQ(k.races(), waits ? Races{} : Races{"host-device"});
  }
}

TEST(Host, TheDefaultStreamWaitsForBlockingOnes) {
  for (const bool blocking : {true, false}) {
    Kernel k(1, 32);
    k.end();
    if (!blocking) k.host(HostKind::kStreamNonBlocking, 0, 0, false, StreamId{1});
    k.launch.stream = StreamId{1};
    k.begin();
    k.write(kFirst);
    k.end();
    k.launch.stream = StreamId{0};
    k.begin();
    k.read(kFirst);
    EXPECT_EQ(k.races().empty(), blocking);
  }
}

TEST(Host, ManagedMemoryNeedsASynchronisation) {
  for (const bool waits : {false, true}) {
    Kernel k(1, 32);
    k.write(kFirst);
    k.end();
    if (waits) k.host(HostKind::kSyncDevice);
    k.host(HostKind::kHostRead, kData, 4);
    EXPECT_EQ(k.races(), waits ? Races{} : Races{"host-device"});
  }
}

// The host's instruction may be an atomic as well, which its page does not tell.
TEST(Host, AnAtomicForTheSystemMayMeetTheHosts) {
  for (const Scope scope : {Scope::kSystem, Scope::kDevice}) {
    Kernel k(1, 32);
    k.add(kFirst, kData, scope);
    k.end();
    k.host(HostKind::kHostWrite, kData, 4);
    EXPECT_EQ(k.races(), scope == Scope::kSystem ? Races{} : Races{"host-device"});
  }
}

TEST(Host, ACopyThatDoesNotWaitRacesWithTheNextStream) {
  Kernel k(1, 32);
  k.end();
  k.host(HostKind::kWrite, kData, 64, false, StreamId{1});
  k.launch.stream = StreamId{2};
  k.begin();
  k.read(kFirst);
  EXPECT_THAT(k.races(), ElementsAre("host-device"));
}

TEST(Host, NewMemoryHasNoHistory) {
  Kernel k(1, 32);
  k.end();
  k.launch.stream = StreamId{1};
  k.begin();
  k.write(kFirst);
  k.end();
  k.host(HostKind::kAlloc, kData, 64);
  k.launch.stream = StreamId{2};
  k.begin();
  k.write(kFirst);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Finding, HasCoordinatesAndAdvice) {
  Kernel k(4, 64);
  k.write({3, 1, 2});
  k.read(kFirst);
  const SiteFrames sites{
      [](LaunchId, SiteId site) { return Stack{CodeFrame("kernel", "a.cu", raw(site), 0)}; },
      [&](LaunchId) { return &k.launch; }};
  const Finding finding = to_finding(k.model.races()[0], sites);
  EXPECT_EQ(finding.rule, Rule::kGpuInterBlock);
  EXPECT_EQ(finding.first.thread_name, "thread (33,0,0) of block (3,0,0) in kernel");
  EXPECT_EQ(finding.first.stack[0].line, 1U);
  EXPECT_EQ(finding.second.stack[0].line, 2U);
  EXPECT_NE(finding.advice.find("__threadfence()"), std::string::npos);
}

TEST(Limits, RacesBeyondTheLimitAreCounted) {
  Kernel k(2, 32, {.most_races = 1});
  k.write(kFirst);
  k.read(kBlock1);
  k.read(kBlock1);
  k.write(kBlock1);
  EXPECT_EQ(k.races().size(), 1U);
  EXPECT_GE(k.model.dropped(), 1U);
}

}  // namespace
}  // namespace redflag::gpu
