#include "core/detect/gpu/curd/curd.h"

#include <gtest/gtest.h>

#include "core/detect/gpu/curd/testing.h"
#include "core/detect/gpu/ptx_model.h"

namespace redflag::gpu::curd {
namespace {

constexpr std::uint64_t kTile = kSharedTag;  // of block 0
const By kWarp0{0, 0, kAllLanes}, kWarp1{0, 1, kAllLanes};

TEST(Curd, BarriersOrderABlock) {
  for (const std::uint64_t memory : {kData, kTile}) {
    CurdKernel raced(1, 64), ordered(1, 64);
    raced.write(kWarp0, memory, 4);
    raced.read(kWarp1, memory, 4);
    EXPECT_EQ(raced.found(), Found{"intra-block 1 2"});
    EXPECT_EQ(raced.count(Rule::kReadWrite), 1U);
    ordered.write(kWarp0, memory, 4);
    ordered.barrier(0);
    ordered.read(kWarp1, memory, 4);
    EXPECT_TRUE(ordered.found().empty());
  }
}

TEST(Curd, OptimisticTest) {
  CurdKernel k(1, 64);
  k.read(kWarp0, kData, 4);
  k.read(kWarp1, kData, 4);
  k.write(kWarp0, kData + 0x100, 4);
  EXPECT_TRUE(k.found().empty());
  EXPECT_EQ(k.count(Rule::kOptimistic), 1U);
  EXPECT_EQ(k.count(Rule::kTriangular), 1U);
  EXPECT_EQ(k.count(Rule::kOwnAccesses), 0U);
}

// CRS and CWS meet, and each thread only meets itself.
TEST(Curd, ThreadsThatUpdateTheirOwn) {
  CurdKernel k(1, 64);
  for (const By& by : {kWarp0, kWarp1}) {
    const std::uint64_t own = kData + std::uint64_t{128} * by.warp;
    k.read(by, own, 4);
    k.write(by, own, 4);
  }
  EXPECT_TRUE(k.found().empty());
  EXPECT_EQ(k.count(Rule::kOptimistic), 0U);
  EXPECT_EQ(k.count(Rule::kOwnAccesses), 1U);
}

TEST(Curd, NothingWritten) {
  CurdKernel k(1, 64);
  k.read(kWarp0, kData);
  k.read(kWarp1, kData);
  EXPECT_TRUE(k.found().empty());
  EXPECT_EQ(k.count(Rule::kNoWrites), 2U) << "shared and global";
}

TEST(Curd, WriteWrite) {
  CurdKernel k(1, 64);
  k.write(kWarp0, kData, 4);
  k.write(kWarp1, kData + 124, 4);
  EXPECT_EQ(k.found(), Found{"intra-block 1 2"});
  EXPECT_EQ(k.model.races()[0].address, kData + 124);
  EXPECT_EQ(k.model.races()[0].size, 4U);
  EXPECT_EQ(k.model.races()[0].first.thread, 31U);
  EXPECT_EQ(k.model.races()[0].second.thread, 32U);
  EXPECT_EQ(k.count(Rule::kWriteWrite), 1U);
  EXPECT_EQ(k.count(Rule::kTriangular), 0U);
}

TEST(Curd, LanesOfOneInstruction) {
  CurdKernel k(1, 32);
  k.write(kWarp0, kData, 0);
  EXPECT_EQ(k.found(), Found{"intra-warp 1 1"});
}

// Neighbours' elements without a barrier between, within a warp: the dissertation's fragile code.
TEST(Curd, WarpsAreNotInLockstep) {
  CurdKernel k(1, 32), synced(1, 32, {}, {SyncOp::kWarpSync});
  k.write(kWarp0, kTile, 4);
  k.read(kWarp0, kTile + 4, 4);
  EXPECT_EQ(k.found(), Found{"intra-warp 2 1"}) << "who was first is not known: by thread";
  synced.write(kWarp0, kTile, 4);
  synced.sync_warp(kWarp0);
  synced.read(kWarp0, kTile + 4, 4);
  EXPECT_TRUE(synced.found().empty());
}

// Threads that have ended are not at the barrier: what they did is not ordered by it.
TEST(Curd, ThreadsThatEndedBeforeTheBarrier) {
  CurdKernel k(1, 64);
  k.write(kWarp1, kData, 4);
  k.exit(kWarp1);
  k.arrive(kWarp0);
  k.pass(kWarp0);
  k.read(kWarp0, kData, 4);
  k.arrive(kWarp0, 0, 1);
  k.pass(kWarp0, 0, 1);
  k.read(kWarp0, kData, 4);
  EXPECT_EQ(k.found(), (Found{"intra-block 5 1", "intra-block 8 1"}));
}

TEST(Curd, BlocksAreNeverOrdered) {
  CurdKernel k(2, 32);
  k.write({0, 0, kAllLanes}, kData, 4);
  k.barrier(0);
  k.exit_block(0);
  k.barrier(1);
  k.read({1, 0, kAllLanes}, kData + 64, 4);
  EXPECT_TRUE(k.model.races().empty()) << "lazy: at the end of the kernel";
  EXPECT_EQ(k.found(), Found{"inter-block 1 7"});
  EXPECT_EQ(k.count(Rule::kLazyReadWrite), 1U);
  EXPECT_NE(to_finding(k.model.races()[0], {}).first.thread_name.find("a thread of block"),
            std::string::npos);
  CurdKernel both(2, 32);
  both.write({0, 0, kAllLanes}, kData, 4);
  both.write({1, 0, kAllLanes}, kData, 4);
  EXPECT_EQ(both.found(), Found{"inter-block 1 2"});
  EXPECT_EQ(both.count(Rule::kLazyWriteWrite), 1U);
}

TEST(Curd, AtomicsRaceWithPlainAccesses) {
  const auto kernel = [] { return CurdKernel(2, 64, {}, {SyncOp::kAtomic}); };
  CurdKernel counted = kernel();
  counted.add(kWarp0, kData);
  counted.add(kWarp1, kData);
  counted.add({1, 0, kAllLanes}, kData);
  EXPECT_TRUE(counted.found().empty());
  CurdKernel reset = kernel();
  reset.add(kWarp0, kData);
  reset.write({0, 1, 1}, kData);
  EXPECT_EQ(reset.found(), Found{"intra-block 1 2"});
  EXPECT_EQ(reset.model.races()[0].enough, Enough::kAtomicAccess);
  CurdKernel looked = kernel();
  looked.add(kWarp0, kData);
  looked.read({1, 0, 1}, kData);
  EXPECT_EQ(looked.found(), Found{"inter-block 1 2"});
  CurdKernel failed = kernel();
  failed.swap({0, 0, 1}, kData, Scope::kDevice, false);
  failed.read(kWarp1, kData);
  EXPECT_TRUE(failed.found().empty()) << "a compare-and-swap that failed only read";
  EXPECT_EQ(failed.count(Rule::kAtomicPlain), 0U);
}

// Section 6.2: thousands of small kernels must not allocate anew, nor see what was before.
TEST(Curd, MetadataIsUsedAgain) {
  CurdKernel k(4, 64);
  std::size_t bytes = 0;
  for (int launch = 0; launch < 5; ++launch) {
    for (std::uint64_t block = 0; block < 4; ++block) {
      k.write({block, 0, kAllLanes}, kData + block * 128, 4);
      k.barrier(block, 0);
      k.read({block, 1, kAllLanes}, kData + block * 128, 4);
      k.exit_block(block);
    }
    k.end();
    EXPECT_EQ(k.model.pooled(), 1U) << "one block after the other";
    if (launch == 1) bytes = k.model.metadata_bytes();
    EXPECT_TRUE(launch < 2 || k.model.metadata_bytes() == bytes);
    k.begin();
  }
  EXPECT_TRUE(k.found().empty());
}

TEST(Curd, TheOtherDetectorHasTheRest) {
  for (const bool known : {false, true}) {
    CurdKernel k(2, 32, {}, {SyncOp::kFence});
    if (!known) {
      k.end();
      k.launch.sync = {};
      k.begin();
    }
    k.write({0, 0, 1});
    k.write({1, 0, 1});
    EXPECT_EQ(k.found(), Found{"inter-block 1 2"});
    EXPECT_EQ(k.count(Rule::kChosen), 0U);
    EXPECT_GE(k.count(Rule::kNotChosen), 2U);
  }
}

// One program, kernels of both kinds: one list, in order.
TEST(Curd, RacesOfBothDetectors) {
  std::vector<std::uint32_t> told;
  Options options;
  options.on_race = [&](const GpuRace& race) { told.push_back(raw(race.second.site)); };
  CurdKernel k(2, 32, options);
  k.write({0, 0, 1});
  k.write({1, 0, 1});
  k.end();
  k.launch.sync.add(SyncOp::kFence);
  k.begin();
  k.write({0, 0, 1});
  k.write({1, 0, 1});
  k.write({1, 0, 1});
  EXPECT_EQ(k.found(), (Found{"inter-block 1 2", "inter-block 3 4"}));
  EXPECT_EQ(told, (std::vector<std::uint32_t>{2, 4}));
}

TEST(Curd, IncompleteSourcesAreCounted) {
  CurdKernel k(1, 64);
  k.write(kWarp0, kData, 4);
  k.write(kWarp0, kData, 4);
  k.read(kWarp1, kData, 4);
  EXPECT_EQ(k.found(), Found{"intra-block 2 3"}) << "the most recent source";
  EXPECT_EQ(k.count(Rule::kIncomplete), 1U);
  const GpuRace race = k.model.races()[0];
  EXPECT_TRUE(race.first.last_of_several);
  EXPECT_FALSE(race.second.last_of_several);
  EXPECT_NE(missing_text(race).find("that of the last"), std::string::npos);
}

// Traces may be damaged.
TEST(Curd, SurvivesNonsense) {
  std::array<std::uint64_t, kWarp> addresses{};
  addresses.fill(~std::uint64_t{0} - 2);
  addresses[1] = 0;
  addresses[3] = shared_address(77, 5);
  addresses[28] = std::uint64_t{1} << 63;
  for (const bool eager : {false, true}) {
    CurdKernel k(2, 40, for_tests(eager), {SyncOp::kAtomic, SyncOp::kWarpSync});
    for (int round = 0; round < 3; ++round) {
      for (int kind = 0; kind <= static_cast<int>(StepKind::kExit); ++kind) {
        for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
          for (const std::uint32_t warp : {0U, 1U, 2U, ~0U}) {
            Step s;
            s.kind = static_cast<StepKind>(kind);
            s.block = block;
            s.warp = warp;
            s.lanes = s.converged = 0xF000000F;
            s.wrote = 0x90000009;
            s.size = static_cast<std::uint8_t>(round * 60);
            s.object = s.round = ~0U - static_cast<unsigned>(round);
            s.address = addresses.data();
            k.model.step(s);
          }
        }
      }
    }
    k.end();
    k.end();
    k.write({0, 0, 1});
  }
}

}  // namespace
}  // namespace redflag::gpu::curd
