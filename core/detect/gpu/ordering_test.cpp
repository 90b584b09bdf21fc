// Fences, atomics, scopes and locks: each rule of docs/semantics.md, the microbenchmark patterns of ScoR
// and the figures of ScoRD and iGUARD, at both levels.
#include "core/detect/gpu/ordering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const PtxModelOptions kPtxLevel{.strictness = Strictness::kPtx};
constexpr By kFirst{0, 0, 1};
constexpr By kWarp1{0, 1, 1};
constexpr By kBlock1{1, 0, 1};
constexpr Scope kBlock = Scope::kBlock;
constexpr Scope kDevice = Scope::kDevice;

// Message passing: data, fence, atomic flag; then another thread reads the flag, and the data.
Kernel& message(Kernel& k, By consumer, Scope fence = kDevice, Scope flag = kDevice,
                bool acquires = false) {
  k.write(kFirst);
  k.fence(kFirst, fence);
  k.exchange(kFirst, kFlag, flag);
  k.add(consumer, kFlag, flag);
  if (acquires) k.fence(consumer, kDevice);
  k.read(consumer);
  return k;
}

TEST(Atomics, OfSufficientScopeDoNotRace) {
  Kernel k(2, 64);
  k.add(kFirst, kData, kBlock);
  k.add(kWarp1, kData, kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Atomics, OfTooNarrowScopeRace) {
  Kernel k(2, 64);
  k.add(kFirst, kData, kDevice);
  k.add(kBlock1, kData, kBlock);
  ASSERT_THAT(k.races(), ElementsAre("scoped-atomic"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWiderAtomic);
  EXPECT_EQ(k.model.races()[0].wide_enough, Scope::kDevice);
}

TEST(Atomics, RaceWithPlainAndVolatileAccesses) {
  Kernel k(1, 64);
  k.add(kFirst, kData);
  k.volatile_write(kWarp1, kData);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kAtomicAccess);
}

TEST(Atomics, AFailedSwapOnlyReads) {
  Kernel k(2, 32);
  k.read(kFirst, kData);
  k.swap(kBlock1, kData, kDevice, false);
  EXPECT_THAT(k.races(), IsEmpty());
  k.swap(kBlock1, kData, kDevice, true);
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(Atomics, ThemselvesOrderNothing) {
  Kernel k(2, 32);
  k.write(kFirst);
  k.add(kFirst, kFlag);
  k.add(kBlock1, kFlag);
  k.read(kBlock1);
  ASSERT_THAT(k.races(), ElementsAre("missing-fence"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kReleaseFence);
}

TEST(ReleasePattern, FenceThenAtomicIsAcquiredByAnAtomicAtLevelCuda) {
  Kernel k(2, 32);
  EXPECT_THAT(message(k, kBlock1).races(), IsEmpty());
}

TEST(ReleasePattern, AtLevelPtxTheConsumerMustAcquire) {
  Kernel k(2, 32, kPtxLevel);
  ASSERT_THAT(message(k, kBlock1).races(), ElementsAre("missing-fence"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kAcquireFence);
  EXPECT_TRUE(k.model.races()[0].needs_acquire);
  Kernel with(2, 32, kPtxLevel);
  EXPECT_THAT(message(with, kBlock1, kDevice, kDevice, true).races(), IsEmpty());
}

TEST(ReleasePattern, OrdersWhatWasBeforeTheFenceOnly) {
  Kernel k(2, 32);
  k.fence(kFirst);
  k.write(kFirst);
  k.exchange(kFirst, kFlag);
  k.add(kBlock1, kFlag);
  k.read(kBlock1);
  EXPECT_THAT(k.races(), ElementsAre("missing-fence"));
}

TEST(ReleasePattern, ExplicitReleaseAndAcquire) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(2, 32, {.strictness = level});
    k.write(kFirst);
    k.atomic(kFirst, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
    k.atomic(kBlock1, StepKind::kAtomicLoad, kFlag, kDevice, Order::kAcquire);
    k.read(kBlock1);
    EXPECT_THAT(k.races(), IsEmpty());
  }
}

TEST(ReleasePattern, TheFenceOfOneLaneIsItsOwn) {
  Kernel k(2, 32);
  k.write({0, 0, 2});
  k.fence(kFirst);
  k.exchange(kFirst, kFlag);
  k.add(kBlock1, kFlag);
  k.read(kBlock1);
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(ReleaseSequence, GoesThroughReadModifyWrites) {
  Kernel k(3, 32, kPtxLevel);
  k.write(kFirst);
  k.atomic(kFirst, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
  k.add(kBlock1, kFlag);
  k.atomic({2, 0, 1}, StepKind::kAtomicLoad, kFlag, kDevice, Order::kAcquire);
  k.read({2, 0, 1});
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(ReleaseSequence, EndsAtAStore) {
  Kernel k(3, 32);
  k.write(kFirst);
  k.atomic(kFirst, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
  k.atomic(kBlock1, StepKind::kAtomicStore, kFlag, kDevice);
  k.add({2, 0, 1}, kFlag);
  k.read({2, 0, 1});
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(ReleaseSequence, IsCutByAReadModifyWriteOfNarrowScope) {
  Kernel k(3, 64);
  k.write(kFirst);
  k.atomic(kFirst, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
  k.add(kWarp1, kFlag, kBlock);
  k.add(kBlock1, kFlag);
  k.read(kBlock1);
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic", "scoped-atomic"));  // the flag, the data
}

TEST(Scope, BlockFenceIsEnoughWithinTheBlock) {
  Kernel k(2, 64);
  EXPECT_THAT(message(k, kWarp1, kBlock, kBlock).races(), IsEmpty());
}

TEST(Scope, BlockFenceIsTooNarrowForAnotherBlock) {
  Kernel k(2, 64);
  ASSERT_THAT(message(k, kBlock1, kBlock, kDevice).races(), ElementsAre("scoped-fence"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWiderFence);
  EXPECT_EQ(advice(k.model.races()[0]), "Device scope for the fences is enough: __threadfence().");
}

TEST(Scope, BlockAtomicIsTooNarrowForAnotherBlock) {
  Kernel k(2, 64);
  EXPECT_THAT(message(k, kBlock1, kDevice, kBlock).races(),
              ElementsAre("scoped-atomic", "scoped-atomic"));
}

TEST(Scope, AWiderOlderFenceStillPublishesForAll) {
  Kernel k(2, 64);
  k.write(kFirst);
  k.fence(kFirst, kDevice);
  k.write(kFirst, kData + 4);
  k.fence(kFirst, kBlock);
  k.exchange(kFirst, kFlag);
  k.add(kBlock1, kFlag);
  k.read(kBlock1);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kBlock1, kData + 4);
  EXPECT_THAT(k.races(), ElementsAre("scoped-fence"));
}

TEST(Scope, ClusterFenceReachesTheCluster) {
  Kernel k(4, 32, {}, 2);
  EXPECT_THAT(message(k, kBlock1, Scope::kCluster).races(), IsEmpty());
  Kernel far(4, 32, {}, 2);
  EXPECT_THAT(message(far, {2, 0, 1}, Scope::kCluster).races(), ElementsAre("scoped-fence"));
}

TEST(Scope, ComposesAcrossScopesAsInHrfIndirect) {
  Kernel k(2, 64);
  k.write(kFirst);
  k.fence(kFirst, kBlock);
  k.exchange(kFirst, kFlag, kBlock);
  k.add(kWarp1, kFlag, kBlock);
  k.fence(kWarp1, kDevice);
  k.exchange(kWarp1, kFlag + 4, kDevice);
  k.add(kBlock1, kFlag + 4, kDevice);
  k.read(kBlock1);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Volatile, IsDataAtLevelCudaAndStrongAtLevelPtx) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(2, 32, {.strictness = level});
    k.volatile_write(kFirst, kFlag);
    k.volatile_read(kBlock1, kFlag);
    EXPECT_EQ(k.races().empty(), level == Strictness::kPtx);
  }
}

TEST(Volatile, FlagPublishesDataAtBothLevels) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(2, 32, {.strictness = level});
    k.write(kFirst);
    k.fence(kFirst);
    k.volatile_write(kFirst, kFlag);
    k.volatile_read(kBlock1, kFlag);
    k.fence(kBlock1);
    const std::size_t before = k.races().size();  // of the flag, at level cuda
    k.read(kBlock1);
    EXPECT_EQ(k.races().size(), before);
  }
}

TEST(WeakWrite, OfTheFlagPublishesNothing) {
  Kernel k(2, 32);
  k.write(kFirst);
  k.fence(kFirst);
  k.exchange(kFirst, kFlag);
  k.write(kFirst, kFlag);
  k.add(kBlock1, kFlag);
  k.read(kBlock1);
  EXPECT_EQ(k.races().size(), 2U);  // the flag, and the data
}

// Locks.

void critical(Kernel& k, By by, Scope lock, Scope fence, bool fence_in = true,
              bool fence_out = true) {
  k.swap(by, kFlag, lock);
  if (fence_in) k.fence(by, fence);
  k.write(by);
  if (fence_out) k.fence(by, fence);
  k.exchange(by, kFlag, lock);
}

TEST(Lock, WithFencesOrders) {
  Kernel k(2, 64);
  critical(k, kFirst, kDevice, kDevice);
  critical(k, kBlock1, kDevice, kDevice);
  critical(k, kWarp1, kDevice, kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Lock, WithoutTheFenceBeforeGivingBack) {
  Kernel k(2, 64);
  critical(k, kFirst, kDevice, kDevice, true, false);
  critical(k, kBlock1, kDevice, kDevice);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kReleaseFence);
}

TEST(Lock, WithoutTheFenceAfterTaking) {
  Kernel k(2, 64);
  critical(k, kBlock1, kDevice, kDevice);
  critical(k, kFirst, kDevice, kDevice, false, true);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kAcquireFence);
}

TEST(Lock, FenceAfterTakingTooNarrow) {
  Kernel k(2, 64);
  critical(k, kBlock1, kDevice, kDevice);
  critical(k, kFirst, kDevice, kBlock);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWiderFence);
}

TEST(Lock, OfBlockScopeBetweenBlocks) {
  Kernel k(2, 64);
  critical(k, kFirst, kBlock, kBlock);
  critical(k, kBlock1, kBlock, kBlock);
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic", "lock", "scoped-atomic"));
}

TEST(Lock, OnOneSideOnly) {
  Kernel k(2, 64);
  critical(k, kFirst, kDevice, kDevice);
  k.write(kBlock1);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kSameLock);
}

// The papers' figures.

TEST(ScordFigure3, WorkStealingByBlockScopeAtomics) {
  for (const Scope own : {kDevice, kBlock}) {
    Kernel k(2, 32);
    k.add(kFirst, kData, own);       // lines 6-8: the victim takes from its own partition
    k.add(kBlock1, kData, kDevice);  // lines 16-18: another block steals from it
    EXPECT_EQ(k.races().empty(), own == kDevice);
  }
}

TEST(ScordFigure4, ReductionWithScopedFences) {
  for (const Scope last : {kDevice, kBlock}) {
    Kernel k(2, 64);
    k.write(kWarp1, kData + 128);             // line 5: sdata[32]
    k.fence(kWarp1, kBlock);                  // line 6
    k.exchange(kWarp1, kFlag + 128, kBlock);  // line 7: lock[32] = 1
    k.add(kFirst, kFlag + 128, kBlock);       // line 9
    k.fence(kFirst, kBlock);                  // line 10
    k.read(kFirst, kData + 128);              // line 11
    k.write(kFirst, kData + 0x800);           // line 14: g_odata[0]
    k.fence(kFirst, last);                    // line 15
    k.add(kFirst, kFlag);                     // line 17: the block is done
    k.add(kBlock1, kFlag);                    // the last block
    k.read(kBlock1, kData + 0x800);           // line 18
    EXPECT_EQ(k.races(), last == kDevice ? std::vector<std::string>{}
                                         : std::vector<std::string>{"scoped-fence"});
  }
}

TEST(ScordFigure5, ScopedLocksOfTheTreeSearch) {
  Kernel k(2, 64);
  critical(k, kFirst, kBlock, kBlock);  // the local stack, lines 3-10
  critical(k, kWarp1, kBlock, kBlock);
  EXPECT_THAT(k.races(), IsEmpty());
  Kernel global(2, 64);
  critical(global, kFirst, kDevice, kDevice);  // the global stack, lines 12-19
  critical(global, kBlock1, kDevice, kDevice);
  EXPECT_THAT(global.races(), IsEmpty());
  Kernel racy(2, 64);
  critical(racy, kFirst, kDevice, kBlock);
  critical(racy, kBlock1, kDevice, kBlock);
  EXPECT_THAT(racy.races(), ElementsAre("lock"));
}

TEST(IguardFigure1, InsufficientScopeOfAnAtomic) {
  Kernel k(2, 32);
  k.add(kFirst, kData, kBlock);    // lines 5-7
  k.add(kBlock1, kData, kDevice);  // lines 14-16
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic"));
}

TEST(IguardFigure2, MissingWarpBarrier) {
  for (const bool synced : {false, true}) {
    Kernel k(1, 32);
    const std::uint64_t sdata = shared_address(0, 0);
    k.read({0, 0, 3}, sdata + 8, 4);  // line 5: sdata[tid] = mySum + sdata[tid + 2]
    k.write({0, 0, 3}, sdata, 4);
    if (synced) k.sync_warp({0, 0, kAllLanes});
    k.read({0, 0, 1}, sdata + 4);  // line 8: lane 0 reads what lane 1 wrote
    EXPECT_EQ(k.races(),
              synced ? std::vector<std::string>{} : std::vector<std::string>{"intra-warp"});
    if (!synced) {
      EXPECT_EQ(k.model.races()[0].enough, Enough::kWarpSync);
    }
  }
}

TEST(Lockstep, OrdersAWarpButForTheSidesOfABranch) {
  Kernel k(1, 32, {.convergence = Convergence::kLockstep});
  const std::uint64_t sdata = shared_address(0, 0);
  k.write({0, 0, 3}, sdata, 4);
  k.read({0, 0, 1}, sdata + 4);  // predicated: no branch
  k.branch({0, 0, 1}, 2);
  k.read({0, 0, 1}, sdata + 4);  // what was before the branch
  k.write({0, 0, 1}, sdata + 8);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read({0, 0, 2}, sdata + 8);
  EXPECT_THAT(k.races(), ElementsAre("branch-ordering"));
  k.reconverge({0, 0, kAllLanes});
  k.write({0, 0, 4}, sdata + 8);
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(IguardFigure3, BlockBarrierWhereTheGridMustMeet) {
  Kernel k(2, 64);
  k.write(kBlock1, kData + 4);  // line 5: out[1]
  k.barrier(0);                 // line 6: cg::sync(block)
  k.barrier(1);
  k.read(kFirst, kData + 4);  // line 9
  ASSERT_THAT(k.races(), ElementsAre("inter-block"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kGridOrder);
}

// Figure 10: only the leader has a fence. The barrier before it makes the others' writes the leader's to
// publish (causality composes), so the data is ordered; what races is the plain read of the counter.
TEST(IguardFigure10, GridBarrierWithAPlainCounter) {
  Kernel k(2, 64);
  k.write({0, 1, 1});
  k.barrier(0);
  k.barrier(1);
  for (const By leader : {kFirst, kBlock1}) {
    k.fence(leader);
    k.atomic(leader, StepKind::kAtomicRmw, kFlag, kDevice, Order::kRelaxed, RmwOp::kReduction);
  }
  k.volatile_read(kBlock1, kFlag);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));  // of the counter itself
  k.barrier(1, 1);
  k.read({1, 1, 1});
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(GridBarrier, OfCooperativeGroupsOrdersTheGrid) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(3, 64, {.strictness = level});
    for (std::uint64_t b = 0; b < 3; ++b) k.write({b, 1, kAllLanes}, kData + b * 128, 4);
    for (std::uint64_t b = 0; b < 3; ++b) {
      k.barrier(b);
      k.atomic({b, 0, 1}, StepKind::kAtomicRmw, kFlag, kDevice, Order::kRelease);
    }
    for (std::uint64_t b = 0; b < 3; ++b) {
      k.atomic({b, 0, 1}, StepKind::kAtomicLoad, kFlag, kDevice, Order::kAcquire);
      k.barrier(b, 1);
    }
    for (std::uint64_t b = 0; b < 3; ++b) {
      k.read({b, 1, kAllLanes}, kData + (b + 1) % 3 * 128, 4);
    }
    EXPECT_THAT(k.races(), IsEmpty());
  }
}

}  // namespace
}  // namespace redflag::gpu
