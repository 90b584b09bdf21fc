// scord on the examples of its paper: figures 3 to 5 and the kinds of table I, right and wrong.
#include "core/detect/gpu/scord/scord.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu::scord {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using K = KernelOn<Scord, Options>;
constexpr std::uint64_t kLock = 0x3000;
constexpr By kLeader0{0, 0, 1};
constexpr By kLeader1{1, 0, 1};
constexpr By kWarp0{0, 0, kAllLanes};
constexpr By kWarp1{0, 1, kAllLanes};

// Figure 3: leaders take work from nextHead[], one of them from the other block's.
TEST(ScordFigures, Figure3aDeviceScopeAtomics) {
  K k(2, 64);
  k.add(kLeader0, kData, Scope::kDevice);
  k.add(kLeader1, kData, Scope::kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
  EXPECT_EQ(k.model.count(Rule::kSafeAtomic), 1U);
}
TEST(ScordFigures, Figure3bBlockScopeAtomic) {
  K k(2, 64);
  k.add(kLeader0, kData, Scope::kBlock);
  const SiteId steal = k.add(kLeader1, kData, Scope::kDevice);
  EXPECT_THAT(k.races(), ElementsAre("scoped-atomic"));
  EXPECT_EQ(k.model.races()[0].second.site, steal);
  EXPECT_EQ(k.model.races()[0].first.block, 0U);
  EXPECT_EQ(k.model.count(Rule::kScopedAtomic), 1U);
}

// Figure 4: partial sums handed from warp to warp by a flag, then the block's sum to all blocks.
// The flags are atomics here: a volatile flag is itself a location without a fence behind its
// store.
void reduction(K& k, bool inner_fence, Scope outer) {
  const std::uint64_t flag = kFlag;
  k.volatile_write(kWarp1, kData);
  if (inner_fence) k.fence(kWarp1, Scope::kBlock);
  k.exchange({0, 1, 1}, flag, Scope::kBlock);
  k.add({0, 0, 1}, flag, Scope::kBlock);
  k.fence(kWarp0, Scope::kBlock);
  k.volatile_read(kWarp0, kData);
  k.volatile_write({0, 0, 1}, kData + 64);
  k.fence({0, 0, 1}, outer);
  k.add({0, 0, 1}, flag + 4, Scope::kDevice);
  k.add({1, 0, 1}, flag + 4, Scope::kDevice);
  k.volatile_read({1, 0, 1}, kData + 64);
}
TEST(ScordFigures, Figure4ScopedFences) {
  K k(2, 64);
  reduction(k, true, Scope::kDevice);
  EXPECT_THAT(k.races(), IsEmpty());
}
TEST(ScordFigures, Figure4WithABlockFenceForAllBlocks) {
  K k(2, 64);
  reduction(k, true, Scope::kBlock);
  EXPECT_THAT(k.races(), ElementsAre("scoped-fence"));
  EXPECT_EQ(k.model.count(Rule::kDeviceFence), 1U);
}
TEST(ScordFigures, Figure4WithoutTheFence) {
  K k(2, 64);
  reduction(k, false, Scope::kDevice);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
  EXPECT_EQ(k.model.count(Rule::kBlockFence), 1U);
}

// Figure 5: a node is taken from a stack under a lock.
void take_node(K& k, By by, Scope swap, Scope first_fence, Scope last_fence, bool locked = true) {
  if (locked) k.swap(by, kLock, swap);
  if (locked) k.fence(by, first_fence);
  k.volatile_read(by, kData);
  k.volatile_write(by, kData);
  k.fence(by, last_fence);
  if (locked) k.exchange(by, kLock, swap);
}
TEST(ScordFigures, Figure5BlockLockInABlock) {
  K k(2, 64);
  for (const std::uint32_t warp : {0U, 1U, 0U}) {
    take_node(k, {0, warp, 1}, Scope::kBlock, Scope::kBlock, Scope::kBlock);
  }
  EXPECT_THAT(k.races(), IsEmpty());
}
TEST(ScordFigures, Figure5DeviceLockBetweenBlocks) {
  K k(2, 64);
  for (const std::uint64_t block : {0U, 1U, 0U}) {
    take_node(k, {block, 0, 1}, Scope::kDevice, Scope::kDevice, Scope::kDevice);
  }
  EXPECT_THAT(k.races(), IsEmpty());
}
TEST(ScordFigures, Figure5BlockScopeBetweenBlocks) {
  K k(2, 64);
  take_node(k, kLeader0, Scope::kBlock, Scope::kBlock, Scope::kBlock);
  take_node(k, kLeader1, Scope::kBlock, Scope::kBlock, Scope::kBlock);
  EXPECT_THAT(k.races(), Contains("scoped-fence"));
  EXPECT_THAT(k.races(), Contains("scoped-atomic")) << "of the lock itself";
}
TEST(ScordFigures, Figure5OnlyTheSwapIsOfBlockScope) {
  K k(2, 64);
  take_node(k, kLeader0, Scope::kBlock, Scope::kDevice, Scope::kDevice);
  take_node(k, kLeader1, Scope::kBlock, Scope::kDevice, Scope::kDevice);
  EXPECT_THAT(k.races(), Contains("lock"));
  EXPECT_EQ(k.model.count(Rule::kLockOnLoad), 1U);
}

// Table I.
TEST(ScordMicrobenchmarks, Locks) {
  {
    K k(2, 64);
    take_node(k, kLeader0, Scope::kDevice, Scope::kDevice, Scope::kDevice);
    k.volatile_write(kLeader1, kData);
    EXPECT_THAT(k.races(), ElementsAre("lock")) << "one side holds no lock";
    EXPECT_EQ(k.model.count(Rule::kLockOnStore), 1U);
  }
  {
    K k(2, 64);
    take_node(k, kLeader0, Scope::kDevice, Scope::kDevice, Scope::kBlock);
    take_node(k, kLeader1, Scope::kDevice, Scope::kDevice, Scope::kDevice);
    EXPECT_THAT(k.races(), ElementsAre("scoped-fence")) << "given back behind a narrow fence";
  }
}
TEST(ScordMicrobenchmarks, WeakAccessesNeedMoreThanFences) {
  K k(2, 64);
  k.write(kLeader0);
  k.fence(kLeader0);
  k.read(kLeader1);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
  EXPECT_EQ(k.model.count(Rule::kNotStrong), 1U);
}
TEST(ScordMicrobenchmarks, Barriers) {
  K k(1, 64);
  k.write(kWarp0, kData, 4);
  k.barrier(0, 0);
  k.read({0, 1, kAllLanes}, kData, 4);
  k.read({0, 0, kAllLanes}, kData, 4);
  EXPECT_THAT(k.races(), IsEmpty()) << "two readers behind a barrier";
  k.write({0, 1, kAllLanes}, kData, 4);
  EXPECT_THAT(k.races(), ElementsAre("intra-block")) << "no second barrier";
}
TEST(ScordMicrobenchmarks, ReleaseIsAFenceBefore) {
  K k(2, 64);
  k.volatile_write(kLeader0, kData);
  k.add(kLeader0, kFlag, Scope::kDevice, Order::kRelease);
  k.add(kLeader1, kFlag, Scope::kDevice, Order::kAcquire);
  k.volatile_read(kLeader1, kData);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Scord, StatsNameEveryRule) {
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

TEST(Scord, EveryLaunchBeginsAnew) {
  K k(2, 64);
  k.write(kLeader0);
  k.end();
  k.begin();
  k.write(kLeader1);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(Scord, AMillionRepetitionsAreOneRace) {
  K k(2, 64);
  for (int i = 0; i < 100; ++i) {
    Step s = k.make(i % 2 == 0 ? kLeader0 : kLeader1, StepKind::kWrite, kData);
    s.site = SiteId{1};
    k.put(s);
  }
  ASSERT_EQ(k.model.races().size(), 1U);
  EXPECT_EQ(k.model.races()[0].count, 99U);
}

// 8 bytes of metadata for 64 of data.
TEST(Scord, TheCacheTakesAnEighth) {
  Scord whole({.metadata_cache = false});
  Scord cached({.device_bytes = std::uint64_t{1} << 20});
  Launch launch;
  launch.block.x = 32;
  std::array<std::uint64_t, kWarp> addresses{};
  for (Scord* one : {&whole, &cached}) {
    const std::size_t before = one->metadata_bytes();
    one->launch_begins(launch);
    for (std::uint64_t at = 0; at < std::uint64_t{1} << 20; at += std::uint64_t{4} * kWarp) {
      for (unsigned i = 0; i < kWarp; ++i) addresses[i] = at + std::uint64_t{4} * i;
      Step s;
      s.kind = StepKind::kWrite;
      s.lanes = s.converged = kAllLanes;
      s.size = 4;
      s.address = addresses.data();
      one->step(s);
    }
    const double percent = 100.0 * static_cast<double>(one->metadata_bytes() - before) / (1 << 20);
    EXPECT_NEAR(percent, one == &whole ? 200 : 12.5, one == &whole ? 4 : 0.5);
  }
}

}  // namespace
}  // namespace redflag::gpu::scord
