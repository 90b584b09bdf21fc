// barracuda on the dissertation's examples: figures 5.2, 5.6 and 5.9, the bugs of section 5.6.4, and
// every class of race that chapter 5 names.
#include "core/detect/gpu/barracuda/barracuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu::barracuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kernel = KernelOn<Barracuda, Options>;
constexpr By kWhole{0, 0, kAllLanes};

// Classes.

TEST(BarracudaClasses, IntraWarp) {
  Kernel k(1, 32);
  const SiteId site = k.write({0, 0, 6});
  ASSERT_THAT(k.races(), ElementsAre("intra-warp"));
  const GpuRace race = k.model.races()[0];
  EXPECT_EQ(race.first.site, site);
  EXPECT_EQ(race.first.thread, 1U);
  EXPECT_EQ(race.second.thread, 2U);
  EXPECT_EQ(race.enough, Enough::kAtomicAccess);
}

TEST(BarracudaClasses, BranchOrdering) {
  Kernel k(1, 32);
  k.branch({0, 0, 1}, ~Lanes{1});
  const SiteId first = k.write({0, 0, 1});
  k.read({0, 0, 2});
  ASSERT_THAT(k.races(), ElementsAre("branch-ordering"));
  EXPECT_EQ(k.model.races()[0].first.site, first);
}

TEST(BarracudaClasses, NestedBranches) {
  Kernel k(1, 32);
  k.branch({0, 0, 0x3}, ~Lanes{0x3});
  k.branch({0, 0, 0x1}, 0x2);
  k.write({0, 0, 0x1});
  k.reconverge({0, 0, 0x3});
  k.read({0, 0, 0x2});
  EXPECT_THAT(k.races(), IsEmpty());
  k.read({0, 0, 0x4});
  EXPECT_THAT(k.races(), ElementsAre("branch-ordering"));
}

TEST(BarracudaClasses, IntraBlock) {
  Kernel k(1, 64);
  k.write({0, 0, 1}, shared_address(0, 16));
  k.read({0, 1, 1}, shared_address(0, 16));
  ASSERT_THAT(k.races(), ElementsAre("intra-block"));
  EXPECT_EQ(k.model.races()[0].space, Space::kShared);
  EXPECT_EQ(k.model.races()[0].enough, Enough::kBlockBarrier);
}

TEST(BarracudaClasses, InterBlock) {
  Kernel k(2, 64);
  const SiteId first = k.write({0, 1, 4});
  const SiteId second = k.write({1, 0, 1});
  ASSERT_THAT(k.races(), ElementsAre("inter-block"));
  const GpuRace race = k.model.races()[0];
  EXPECT_EQ(race.first.block, 0U);
  EXPECT_EQ(race.first.thread, 34U);
  EXPECT_EQ(race.first.site, first);
  EXPECT_EQ(race.second.block, 1U);
  EXPECT_EQ(race.second.site, second);
  EXPECT_EQ(race.address, kData);
}

TEST(BarracudaClasses, BarrierDivergence) {
  Kernel k(1, 64);
  k.branch({0, 0, 1}, ~Lanes{1});
  k.arrive({0, 0, 1});
  k.arrive({0, 1, kAllLanes});
  k.pass({0, 1, kAllLanes});
  ASSERT_FALSE(k.races().empty());
  EXPECT_EQ(k.races()[0], "barrier-divergence");
}

TEST(BarracudaClasses, BarrierDivergenceThatHangs) {
  Kernel k(1, 32);
  k.branch({0, 0, 1}, ~Lanes{1});
  k.arrive({0, 0, 1});
  k.end();
  EXPECT_THAT(k.races(), ElementsAre("barrier-divergence"));
}

// "an intra-warp race is always a write-write race": lanes may read together what they wrote before.
TEST(BarracudaClasses, LanesOfAWarpAreInLockstep) {
  Kernel k(1, 32);
  k.write(kWhole, kData, 4);
  k.read(kWhole, kData, 0);
  k.write(kWhole, kData, 4);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(BarracudaSameValue, AllLanesOrNone) {
  for (const bool filter : {true, false}) {
    Kernel k(1, 32, {.filter_same_value = filter});
    Step s = k.make(kWhole, StepKind::kWrite, kData);
    k.values.fill(3);
    s.value = k.values.data();
    k.put(s);
    EXPECT_EQ(k.races().size(), filter ? 0U : 1U);
    k.values[31] = 4;
    s.site = SiteId{99};
    k.put(s);
    EXPECT_EQ(k.races().size(), filter ? 1U : 2U);
    EXPECT_FALSE(k.model.races().back().same_value);
    EXPECT_EQ(k.model.races().back().second.thread, 31U);
  }
}

// Lanes that wrote the same together are all known to have written.
TEST(BarracudaSameValue, EachOfThemIsAWriter) {
  Kernel k(1, 64);
  Step s = k.make(kWhole, StepKind::kWrite, kData);
  s.value = k.values.data();
  k.put(s);
  k.read({0, 1, 1});
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
}

// Figures.

// Figure 5.2: T0 takes one side of a branch, T1 and T2 the other; all know what was before it.
TEST(BarracudaFigures, Figure52) {
  Kernel k(2, 6);
  constexpr Lanes kAll = 0x3F;
  k.write({0, 0, 1}, kData);
  k.branch({0, 0, 1}, kAll & ~Lanes{1});
  k.read({0, 0, 2}, kData);
  EXPECT_THAT(k.races(), IsEmpty());
  k.write({0, 0, 2}, kFlag);
  k.read({0, 0, 4}, kFlag);
  EXPECT_THAT(k.races(), IsEmpty()) << "the same side";
  k.read({0, 0, 1}, kFlag);
  EXPECT_THAT(k.races(), ElementsAre("branch-ordering"));
}

// Figure 5.6: message passing between blocks, with the fences of its four rows. Only two block fences
// gave weak behaviour.
TEST(BarracudaFigures, Figure56) {
  for (const Scope first : {Scope::kBlock, Scope::kDevice}) {
    for (const Scope second : {Scope::kBlock, Scope::kDevice}) {
      Kernel k(2, 32);
      k.write({0, 0, 1}, kData);
      k.fence({0, 0, 1}, first);
      k.write({0, 0, 1}, kFlag);
      k.read({1, 0, 1}, kFlag);
      k.fence({1, 0, 1}, second);
      k.read({1, 0, 1}, kData);
      const bool weak = first == Scope::kBlock && second == Scope::kBlock;
      EXPECT_EQ(k.races().size(), weak ? 1U : 0U) << name(first) << " " << name(second);
    }
  }
}

// Figure 5.9: the format of a warp's clocks as threads part and synchronise.
TEST(BarracudaFigures, Figure59) {
  Kernel k(2, 64);
  k.read(kWhole, kData, 4);
  EXPECT_EQ(k.model.formats().converged, 2U);
  k.barrier(0);
  EXPECT_EQ(k.model.formats().converged, 2U);
  k.branch({0, 0, 1}, ~Lanes{1});
  k.read({0, 0, ~Lanes{1}}, kData);
  EXPECT_EQ(k.model.formats().diverged, 1U);
  k.branch({0, 0, 2}, ~Lanes{3});
  k.read({0, 0, 2}, kData);
  EXPECT_EQ(k.model.formats().nested, 1U);
  k.fence({1, 0, 1});
  k.exchange({1, 0, 1}, kFlag);
  k.swap({0, 0, 2}, kFlag);
  k.fence({0, 0, 2});
  EXPECT_EQ(k.model.formats().sparse, 1U);
}

// Programs.

// threadFenceReduction of the SDK: the last block adds up what all wrote.
TEST(BarracudaPrograms, ThreadFenceReduction) {
  for (const bool fenced : {true, false}) {
    Kernel k(4, 32);
    for (std::uint64_t b = 0; b < 4; ++b) {
      k.write({b, 0, 1}, kData + 4 * b);
      if (fenced) k.fence({b, 0, 1});
      k.add({b, 0, 1}, kFlag);
    }
    k.read({3, 0, 0xF}, kData, 4);
    EXPECT_EQ(k.races().empty(), fenced);
  }
}

// hashtable of GPU-TM (section 5.6.4): a lock taken without a fence, given back by a plain write
// without one.
TEST(BarracudaPrograms, Hashtable) {
  const auto run = [](bool fenced) {
    Kernel k(2, 32);
    for (std::uint64_t b = 0; b < 2; ++b) {
      k.swap({b, 0, 1}, kFlag);
      if (fenced) k.fence({b, 0, 1});
      k.read({b, 0, 1}, kData);
      k.write({b, 0, 1}, kData);
      if (fenced) k.fence({b, 0, 1});
      k.write({b, 0, 1}, kFlag);
    }
    return k.races().size();
  };
  EXPECT_GT(run(false), 1U) << "the bucket, and the lock itself";
  EXPECT_EQ(run(true), 0U);
}

// bfs of SHOC: a flag is set to 1 by threads of several blocks. Within a warp that would be filtered.
TEST(BarracudaPrograms, FlagSetByManyBlocks) {
  Kernel k(2, 32);
  for (std::uint64_t b = 0; b < 2; ++b) {
    Step s = k.make({b, 0, kAllLanes}, StepKind::kWrite, kFlag);
    k.values.fill(1);
    s.value = k.values.data();
    k.put(s);
  }
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

// Atomics do not synchronise, and do not race with each other; with plain accesses they do.
TEST(BarracudaPrograms, AtomicsAlone) {
  Kernel k(2, 32);
  k.write({0, 0, 1}, kData);
  k.add({0, 0, 1}, kFlag);
  k.add({1, 0, 1}, kFlag);
  EXPECT_THAT(k.races(), IsEmpty());
  k.read({1, 0, 1}, kData);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

// What the figures forget: a third thread's atomic against a plain access before another atomic.
TEST(BarracudaPrograms, PlainAccessesBeforeAtomicsStayKnown) {
  for (const bool writes : {false, true}) {
    Kernel k(2, 64);
    if (writes) {
      k.write({0, 0, 1});
    } else {
      k.read({0, 0, 1});
    }
    k.barrier(0);
    k.add({0, 1, 1}, kData);
    EXPECT_THAT(k.races(), IsEmpty());
    k.add({1, 0, 1}, kData);
    EXPECT_THAT(k.races(), ElementsAre("inter-block"));
  }
}

TEST(BarracudaMemory, BytesOfAWordAreApart) {
  Kernel k(2, 32);
  k.write({0, 0, 1}, kData + 4);
  for (std::uint64_t b = 0; b < 2; ++b) {
    Step s = k.make({b, 0, 1}, StepKind::kWrite, kData + b);
    s.size = 1;
    k.put(s);
  }
  EXPECT_THAT(k.races(), IsEmpty());
  Step s = k.make({1, 0, 1}, StepKind::kRead, kData + 4);
  s.size = 2;
  k.put(s);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

TEST(BarracudaMemory, NewMemoryHasNoPast) {
  Kernel k(2, 32);
  k.write({0, 0, 1}, kData);
  k.write({0, 0, 1}, kData + 4096);
  k.host(HostKind::kFree, kData, 4);
  k.write({1, 0, 1}, kData);
  EXPECT_THAT(k.races(), IsEmpty());
  k.write({1, 0, 1}, kData + 4096);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

// The engine is used launch after launch; nothing of one is left for the next.
TEST(BarracudaMemory, LaunchesAreApart) {
  Kernel k(2, 32);
  k.add({0, 0, kAllLanes}, kData);
  k.read({0, 0, 1}, kData);
  k.end();
  k.begin();
  k.write({1, 0, 1}, kData);
  EXPECT_THAT(k.races(), IsEmpty());
  EXPECT_GT(k.model.metadata_bytes(), 0U);
}

TEST(BarracudaMemory, SharedMemoryGoesWithItsBlock) {
  Kernel k(200, 32);
  std::size_t after_first = 0;
  for (std::uint64_t b = 0; b < 200; ++b) {
    for (std::uint64_t i = 0; i < 4096; i += 128)
      k.write({b, 0, kAllLanes}, shared_address(b, i), 4);
    k.put(k.make({b, 0, kAllLanes}, StepKind::kExit));
    if (b == 0) after_first = k.model.metadata_bytes();
  }
  EXPECT_LT(k.model.metadata_bytes(), 2 * after_first);
}

}  // namespace
}  // namespace redflag::gpu::barracuda
