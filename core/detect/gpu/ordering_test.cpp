// Fences, atomics, scopes and locks: each rule of docs/how/semantics.md, the microbenchmark patterns of ScoR
// and the figures of ScoRD and iGUARD, at both levels.
#include "core/detect/gpu/ordering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const PtxModelOptions kFormal{.strictness = Strictness::kPtx};
constexpr By kFirstBlock{0, 0, 1};
constexpr By kOtherWarp{0, 1, 1};
constexpr By kOtherBlock{1, 0, 1};
constexpr Scope kBlock = Scope::kBlock;
constexpr Scope kDevice = Scope::kDevice;

// Message passing: data, fence, atomic flag; then another thread reads the flag, and the data.
Kernel& message(Kernel& k, By consumer, Scope fence = kDevice, Scope flag = kDevice,
                bool acquires = false) {
  k.write(kFirstBlock);
  k.fence(kFirstBlock, fence);
  k.exchange(kFirstBlock, kFlag, flag);
  k.add(consumer, kFlag, flag);
  if (acquires) k.fence(consumer, kDevice);
  k.read(consumer);
  return k;
}

TEST(Atomics, OfSufficientScopeDoNotRace) {
  Kernel k(2, 64);
  k.add(kFirstBlock, kData, kBlock);
  k.add(kOtherWarp, kData, kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Atomics, OfTooNarrowScopeRace) {
  Kernel k(2, 64);
  k.add(kFirstBlock, kData, kDevice);
  k.add(kOtherBlock, kData, kBlock);
  ASSERT_THAT(k.races(), ElementsAre("scoped-atomic"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWiderAtomic);
  EXPECT_EQ(k.model.races()[0].wide_enough, Scope::kDevice);
}

TEST(Atomics, RaceWithPlainAndVolatileAccesses) {
  Kernel k(1, 64);
  k.add(kFirstBlock, kData);
  k.volatile_write(kOtherWarp, kData);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kAtomicAccess);
}

TEST(Atomics, AFailedSwapOnlyReads) {
  Kernel k(2, 32);
  k.read(kFirstBlock, kData);
  k.swap(kOtherBlock, kData, kDevice, false);
  EXPECT_THAT(k.races(), IsEmpty());
  k.swap(kOtherBlock, kData, kDevice, true);
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(Atomics, ThemselvesOrderNothing) {
  Kernel k(2, 32);
  k.write(kFirstBlock);
  k.add(kFirstBlock, kFlag);
  k.add(kOtherBlock, kFlag);
  k.read(kOtherBlock);
  ASSERT_THAT(k.races(), ElementsAre("missing-fence"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kReleaseFence);
}

TEST(ReleasePattern, FenceThenAtomicIsAcquiredByAnAtomicAtLevelCuda) {
  Kernel k(2, 32);
  EXPECT_THAT(message(k, kOtherBlock).races(), IsEmpty());
}

TEST(ReleasePattern, AtLevelPtxTheConsumerMustAcquire) {
  Kernel k(2, 32, kFormal);
  ASSERT_THAT(message(k, kOtherBlock).races(), ElementsAre("missing-fence"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kAcquireFence);
  EXPECT_TRUE(k.model.races()[0].needs_acquire);
  Kernel with(2, 32, kFormal);
  EXPECT_THAT(message(with, kOtherBlock, kDevice, kDevice, true).races(), IsEmpty());
}

TEST(ReleasePattern, OrdersWhatWasBeforeTheFenceOnly) {
  Kernel k(2, 32);
  k.fence(kFirstBlock);
  k.write(kFirstBlock);
  k.exchange(kFirstBlock, kFlag);
  k.add(kOtherBlock, kFlag);
  k.read(kOtherBlock);
  EXPECT_THAT(k.races(), ElementsAre("missing-fence"));
}

TEST(ReleasePattern, ExplicitReleaseAndAcquire) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(2, 32, {.strictness = level});
    k.write(kFirstBlock);
    k.atomic(kFirstBlock, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
    k.atomic(kOtherBlock, StepKind::kAtomicLoad, kFlag, kDevice, Order::kAcquire);
    k.read(kOtherBlock);
    EXPECT_THAT(k.races(), IsEmpty());
  }
}

TEST(ReleasePattern, TheFenceOfOneLaneIsItsOwn) {
  Kernel k(2, 32);
  k.write({0, 0, 2});
  k.fence(kFirstBlock);
  k.exchange(kFirstBlock, kFlag);
  k.add(kOtherBlock, kFlag);
  k.read(kOtherBlock);
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(ReleaseSequence, GoesThroughReadModifyWrites) {
  Kernel k(3, 32, kFormal);
  k.write(kFirstBlock);
  k.atomic(kFirstBlock, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
  k.add(kOtherBlock, kFlag);
  k.atomic({2, 0, 1}, StepKind::kAtomicLoad, kFlag, kDevice, Order::kAcquire);
  k.read({2, 0, 1});
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(ReleaseSequence, EndsAtAStore) {
  Kernel k(3, 32);
  k.write(kFirstBlock);
  k.atomic(kFirstBlock, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
  k.atomic(kOtherBlock, StepKind::kAtomicStore, kFlag, kDevice);
  k.add({2, 0, 1}, kFlag);
  k.read({2, 0, 1});
  EXPECT_EQ(k.races().size(), 1U);
}

TEST(ReleaseSequence, IsCutByAReadModifyWriteOfNarrowScope) {
  Kernel k(3, 64);
  k.write(kFirstBlock);
  k.atomic(kFirstBlock, StepKind::kAtomicStore, kFlag, kDevice, Order::kRelease);
  k.add(kOtherWarp, kFlag, kBlock);
  k.add(kOtherBlock, kFlag);
  k.read(kOtherBlock);
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic", "scoped-atomic"));  // the flag, the data
}

TEST(Scope, BlockFenceIsEnoughWithinTheBlock) {
  Kernel k(2, 64);
  EXPECT_THAT(message(k, kOtherWarp, kBlock, kBlock).races(), IsEmpty());
}

TEST(Scope, BlockFenceIsTooNarrowForAnotherBlock) {
  Kernel k(2, 64);
  ASSERT_THAT(message(k, kOtherBlock, kBlock, kDevice).races(), ElementsAre("scoped-fence"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWiderFence);
  EXPECT_EQ(advice(k.model.races()[0]), "Device scope for the fences is enough: __threadfence().");
}

TEST(Scope, BlockAtomicIsTooNarrowForAnotherBlock) {
  Kernel k(2, 64);
  EXPECT_THAT(message(k, kOtherBlock, kDevice, kBlock).races(),
              ElementsAre("scoped-atomic", "scoped-atomic"));
}

TEST(Scope, AWiderOlderFenceStillPublishesForAll) {
  Kernel k(2, 64);
  k.write(kFirstBlock);
  k.fence(kFirstBlock, kDevice);
  k.write(kFirstBlock, kData + 4);
  k.fence(kFirstBlock, kBlock);
  k.exchange(kFirstBlock, kFlag);
  k.add(kOtherBlock, kFlag);
  k.read(kOtherBlock);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read(kOtherBlock, kData + 4);
  EXPECT_THAT(k.races(), ElementsAre("scoped-fence"));
}

TEST(Scope, ClusterFenceReachesTheCluster) {
  Kernel k(4, 32, {}, 2);
  EXPECT_THAT(message(k, kOtherBlock, Scope::kCluster).races(), IsEmpty());
  Kernel far(4, 32, {}, 2);
  EXPECT_THAT(message(far, {2, 0, 1}, Scope::kCluster).races(), ElementsAre("scoped-fence"));
}

TEST(Scope, ComposesAcrossScopesAsInHrfIndirect) {
  Kernel k(2, 64);
  k.write(kFirstBlock);
  k.fence(kFirstBlock, kBlock);
  k.exchange(kFirstBlock, kFlag, kBlock);
  k.add(kOtherWarp, kFlag, kBlock);
  k.fence(kOtherWarp, kDevice);
  k.exchange(kOtherWarp, kFlag + 4, kDevice);
  k.add(kOtherBlock, kFlag + 4, kDevice);
  k.read(kOtherBlock);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Volatile, IsDataAtLevelCudaAndStrongAtLevelPtx) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(2, 32, {.strictness = level});
    k.volatile_write(kFirstBlock, kFlag);
    k.volatile_read(kOtherBlock, kFlag);
    EXPECT_EQ(k.races().empty(), level == Strictness::kPtx);
  }
}

TEST(Volatile, FlagPublishesDataAtBothLevels) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Kernel k(2, 32, {.strictness = level});
    k.write(kFirstBlock);
    k.fence(kFirstBlock);
    k.volatile_write(kFirstBlock, kFlag);
    k.volatile_read(kOtherBlock, kFlag);
    k.fence(kOtherBlock);
    const std::size_t before = k.races().size();  // of the flag, at level cuda
    k.read(kOtherBlock);
    EXPECT_EQ(k.races().size(), before);
  }
}

TEST(WeakWrite, OfTheFlagPublishesNothing) {
  Kernel k(2, 32);
  k.write(kFirstBlock);
  k.fence(kFirstBlock);
  k.exchange(kFirstBlock, kFlag);
  k.write(kFirstBlock, kFlag);
  k.add(kOtherBlock, kFlag);
  k.read(kOtherBlock);
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
  critical(k, kFirstBlock, kDevice, kDevice);
  critical(k, kOtherBlock, kDevice, kDevice);
  critical(k, kOtherWarp, kDevice, kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Lock, WithoutTheFenceBeforeGivingBack) {
  Kernel k(2, 64);
  critical(k, kFirstBlock, kDevice, kDevice, true, false);
  critical(k, kOtherBlock, kDevice, kDevice);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kReleaseFence);
}

TEST(Lock, WithoutTheFenceAfterTaking) {
  Kernel k(2, 64);
  critical(k, kOtherBlock, kDevice, kDevice);
  critical(k, kFirstBlock, kDevice, kDevice, false, true);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kAcquireFence);
}

TEST(Lock, FenceAfterTakingTooNarrow) {
  Kernel k(2, 64);
  critical(k, kOtherBlock, kDevice, kDevice);
  critical(k, kFirstBlock, kDevice, kBlock);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kWiderFence);
}

TEST(Lock, OfBlockScopeBetweenBlocks) {
  Kernel k(2, 64);
  critical(k, kFirstBlock, kBlock, kBlock);
  critical(k, kOtherBlock, kBlock, kBlock);
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic", "lock", "scoped-atomic"));
}

TEST(Lock, OnOneSideOnly) {
  Kernel k(2, 64);
  critical(k, kFirstBlock, kDevice, kDevice);
  k.write(kOtherBlock);
  ASSERT_THAT(k.races(), ElementsAre("lock"));
  EXPECT_EQ(k.model.races()[0].enough, Enough::kSameLock);
}

// The papers' figures.

TEST(ScordFigure3, WorkStealingByBlockScopeAtomics) {
  for (const Scope own : {kDevice, kBlock}) {
    Kernel k(2, 32);
    k.add(kFirstBlock, kData, own);      // lines 6-8: the victim takes from its own partition
    k.add(kOtherBlock, kData, kDevice);  // lines 16-18: another block steals from it
    EXPECT_EQ(k.races().empty(), own == kDevice);
  }
}

TEST(ScordFigure4, ReductionWithScopedFences) {
  for (const Scope last : {kDevice, kBlock}) {
    Kernel k(2, 64);
    k.write(kOtherWarp, kData + 128);             // line 5: sdata[32]
    k.fence(kOtherWarp, kBlock);                  // line 6
    k.exchange(kOtherWarp, kFlag + 128, kBlock);  // line 7: lock[32] = 1
    k.add(kFirstBlock, kFlag + 128, kBlock);      // line 9
    k.fence(kFirstBlock, kBlock);                 // line 10
    k.read(kFirstBlock, kData + 128);             // line 11
    k.write(kFirstBlock, kData + 0x800);          // line 14: g_odata[0]
    k.fence(kFirstBlock, last);                   // line 15
    k.add(kFirstBlock, kFlag);                    // line 17: the block is done
    k.add(kOtherBlock, kFlag);                    // the last block
    k.read(kOtherBlock, kData + 0x800);           // line 18
    EXPECT_EQ(k.races(), last == kDevice ? std::vector<std::string>{}
                                         : std::vector<std::string>{"scoped-fence"});
  }
}

TEST(ScordFigure5, ScopedLocksOfTheTreeSearch) {
  Kernel k(2, 64);
  critical(k, kFirstBlock, kBlock, kBlock);  // the local stack, lines 3-10
  critical(k, kOtherWarp, kBlock, kBlock);
  EXPECT_THAT(k.races(), IsEmpty());
  Kernel global(2, 64);
  critical(global, kFirstBlock, kDevice, kDevice);  // the global stack, lines 12-19
  critical(global, kOtherBlock, kDevice, kDevice);
  EXPECT_THAT(global.races(), IsEmpty());
  Kernel racy(2, 64);
  critical(racy, kFirstBlock, kDevice, kBlock);
  critical(racy, kOtherBlock, kDevice, kBlock);
  EXPECT_THAT(racy.races(), ElementsAre("lock"));
}

TEST(IguardFigure1, InsufficientScopeOfAnAtomic) {
  Kernel k(2, 32);
  k.add(kFirstBlock, kData, kBlock);   // lines 5-7
  k.add(kOtherBlock, kData, kDevice);  // lines 14-16
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
  k.write(kOtherBlock, kData + 4);  // line 5: out[1]
  k.barrier(0);                     // line 6: cg::sync(block)
  k.barrier(1);
  k.read(kFirstBlock, kData + 4);  // line 9
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
  for (const By leader : {kFirstBlock, kOtherBlock}) {
    k.fence(leader);
    k.atomic(leader, StepKind::kAtomicRmw, kFlag, kDevice, Order::kRelaxed, RmwOp::kReduction);
  }
  k.volatile_read(kOtherBlock, kFlag);
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
