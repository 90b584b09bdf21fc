// iguard on the examples of its paper: figures 1 to 3 and 8 to 10, right and wrong.
#include "core/detect/gpu/iguard/iguard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu::iguard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using K = KernelOn<Iguard, Options>;
constexpr std::uint64_t kLock = 0x3000;
constexpr By kLeader0{0, 0, 1};
constexpr By kLeader1{1, 0, 1};

// Figure 1: leaders take work, one of them from the other block's partition.
TEST(IguardFigures, Figure1InsufficientScope) {
  K k(2, 64);
  k.add(kLeader0, kData, Scope::kBlock);
  k.add(kLeader1, kData, Scope::kDevice);
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic"));
  EXPECT_EQ(k.model.count(Rule::kScopedAtomic), 1U);
}
TEST(IguardFigures, Figure1SufficientScope) {
  K k(2, 64);
  k.add(kLeader0, kData, Scope::kDevice);
  k.add(kLeader1, kData, Scope::kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
  EXPECT_EQ(k.model.count(Rule::kSafeAtomic), 1U);
}

// Figures 2 and 8: lanes 0 and 1 add the upper half, then lane 0 adds lane 1's sum.
void reduction(K& k, bool sync) {
  const By both{0, 0, 0b11};
  k.read(both, kData + 8, 4);  // sdata[tid + 2]
  k.write(both, kData, 4);     // sdata[tid]
  if (sync) k.sync_warp(both);
  k.read({0, 0, 1}, kData + 4);  // sdata[tid + 1]
  k.write({0, 0, 1}, kData);
}
TEST(IguardFigures, Figure8MissingWarpBarrier) {
  K k(1, 32);
  reduction(k, false);
  EXPECT_THAT(k.races(), ElementsAre("intra-warp"));
  EXPECT_EQ(k.model.count(Rule::kIntraWarp), 1U);
  EXPECT_EQ(k.model.races()[0].first.thread, 1U);
  EXPECT_EQ(k.model.races()[0].second.thread, 0U);
  EXPECT_EQ(k.model.races()[0].address, kData + 4);
}
TEST(IguardFigures, Figure8WithTheWarpBarrier) {
  K k(1, 32);
  reduction(k, true);
  EXPECT_THAT(k.races(), IsEmpty());
  EXPECT_EQ(k.model.count(Rule::kWarpSynced), 1U);
}

// Figures 3 and 10: blocks leave results, the grid meets, one thread collects. cg::sync(block)
// waits for the block only; grid sync has a leader that counts. The counter is read by an atomic
// here: read as `volatile`, it is itself a location without a fence behind its last change.
enum class Sync { kBlock, kLeaderFences, kAllFence };
void collect(K& k, Sync how) {
  for (const std::uint64_t block : {0U, 1U}) {
    k.write({block, 0, 1}, kData + 128 * block);      // by the leader
    k.write({block, 1, 2}, kData + 128 * block + 4);  // by another thread
    if (how == Sync::kAllFence) {
      k.fence({block, 0, kAllLanes});
      k.fence({block, 1, kAllLanes});
    }
    k.barrier(block, 0);
    if (how == Sync::kBlock) continue;
    k.fence({block, 0, 1});
    k.add({block, 0, 1}, kFlag);
  }
  if (how != Sync::kBlock) {
    k.add({0, 0, 1}, kFlag);
    k.barrier(0, 1);
  }
}
TEST(IguardFigures, Figure3BlocksMeetInsteadOfTheGrid) {
  K k(2, 64);
  collect(k, Sync::kBlock);
  k.read({0, 0, 1}, kData + 128);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
  EXPECT_EQ(k.model.count(Rule::kInterBlock), 1U);
}
TEST(IguardFigures, Figure10OnlyTheLeaderFences) {
  K k(2, 64);
  collect(k, Sync::kLeaderFences);
  k.read({0, 0, 1}, kData + 128);
  EXPECT_THAT(k.races(), IsEmpty()) << "the leader's own data";
  k.read({0, 0, 1}, kData + 128 + 4);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}
TEST(IguardFigures, Figure10AllThreadsFence) {
  K k(2, 64);
  collect(k, Sync::kAllFence);
  k.read({0, 0, 1}, kData + 128);
  k.read({0, 0, 1}, kData + 128 + 4);
  EXPECT_THAT(k.races(), IsEmpty());
}

// Figure 9: two lanes take locks together, then go on one after the other and change data[warpId].
void locking(K& k, bool together, std::uint64_t second_lock) {
  const By a{0, 0, 1};
  const By b{0, 0, 2};
  Step s = k.make({0, 0, 0b11}, StepKind::kAtomicRmw, kLock);
  k.addresses[1] = second_lock;
  s.op = RmwOp::kCompareSwap;
  s.scope = Scope::kDevice;
  if (together) k.put(s);
  for (const By& by : {a, b}) {
    const std::uint64_t lock = by.lanes == 1 ? kLock : second_lock;
    if (!together) k.swap(by, lock);
    k.fence(by);
    k.read(by, kData);
    k.write(by, kData);
    k.fence(by);
    k.exchange(by, lock);
  }
}
TEST(IguardFigures, Figure9LocksOfThreads) {
  K k(1, 32);
  locking(k, true, kLock + 0x40);
  EXPECT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.count(Rule::kMissingLock), 1U);
}
TEST(IguardFigures, Figure9TheSameLock) {
  K k(1, 32);
  locking(k, false, kLock);
  EXPECT_THAT(k.races(), IsEmpty());
}
TEST(IguardFigures, CriticalSectionsOfWarpsAndBlocks) {
  K k(2, 64);
  for (const By& by : {By{0, 0, 1}, By{0, 1, 4}, By{1, 0, 2}, By{0, 0, 1}}) {
    k.swap(by, kLock);
    k.fence(by);
    k.read(by, kData);
    k.write(by, kData);
    k.fence(by);
    k.exchange(by, kLock);
  }
  EXPECT_THAT(k.races(), IsEmpty());
  k.write({1, 1, 1}, kData);
  EXPECT_THAT(k.races(), ElementsAre("lock"));
}

TEST(Iguard, CoalescesLoadsAndAtomicsOfOnePlace) {
  K k(1, 32);
  k.read({0, 0, kAllLanes}, kData);
  EXPECT_EQ(k.model.coalesced(), 31U);
  k.add({0, 0, 0xFF}, kFlag);
  EXPECT_EQ(k.model.coalesced(), 38U);
  k.read({0, 0, kAllLanes}, kData + 64, 4);
  k.write({0, 0, kAllLanes}, kData + 4096);
  EXPECT_EQ(k.model.coalesced(), 38U) << "other places, and stores, are checked lane by lane";
}

TEST(Iguard, CoalescingLosesNothing) {
  for (const bool coalesce : {false, true}) {
    K k(2, 64, {.coalesce = coalesce});
    k.write(kLeader0);
    k.read({1, 0, kAllLanes}, kData);
    k.add({0, 1, kAllLanes}, kFlag, Scope::kBlock);
    k.add({1, 1, kAllLanes}, kFlag, Scope::kDevice);
    EXPECT_THAT(k.races(), ElementsAre("inter-block", "scoped-atomic")) << coalesce;
  }
}

// A writer that is ordered behind the last reader but not behind the one before.
TEST(Iguard, HistoryFindsOlderReaders) {
  for (const unsigned history : {1U, 2U, 4U, 8U}) {
    K k(3, 32, {.history = history});
    k.read({0, 0, 1});
    k.read({1, 0, 1});
    k.fence({1, 0, 1});
    k.add({1, 0, 1}, kFlag);
    k.add({2, 0, 1}, kFlag);
    k.write({2, 0, 1});
    EXPECT_EQ(k.model.races().size(), history == 1 ? 0U : 1U) << history;
  }
}

TEST(Iguard, EveryLaunchBeginsAnew) {
  K k(2, 64);
  k.write(kLeader0);
  k.end();
  k.begin();
  k.write(kLeader1);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Iguard, StatsNameEveryRule) {
  K k(2, 64);
  k.write(kLeader0);
  k.write(kLeader1);
  const std::vector<Counter> stats = k.model.stats();
  for (const RuleRow<Rule>& row : kRules) {
    bool found = false;
    for (const Counter& c : stats) found |= c.name.ends_with(row.name);
    EXPECT_TRUE(found) << row.name;
  }
}

}  // namespace
}  // namespace redflag::gpu::iguard
