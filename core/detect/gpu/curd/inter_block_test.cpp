#include "core/detect/gpu/curd/inter_block.h"

#include <gtest/gtest.h>

#include "core/detect/gpu/curd/testing.h"

namespace redflag::gpu::curd {
namespace {

CurdKernel eager(std::uint32_t blocks) {
  return {blocks, 32, for_tests(true)};
}
By block(std::uint64_t number) {
  return {number, 0, kAllLanes};
}

// Figure 6.7. Step 1: what a block has read since its last barrier, with all that others wrote.
TEST(CurdEager, ReadsSinceTheBarrier) {
  CurdKernel k = eager(2);
  k.write(block(0), kData, 4);
  k.barrier(0);
  k.read(block(1), kData, 4);
  EXPECT_TRUE(k.model.races().empty());
  k.barrier(1);
  EXPECT_EQ(k.model.races().size(), 1U) << "at the barrier, not at the end";
  EXPECT_EQ(k.count(Rule::kEagerReads), 1U);
}

// Step 2: what it read before, with what others have written since it looked.
TEST(CurdEager, EarlierReadsWithNewWrites) {
  CurdKernel k = eager(2);
  k.read(block(1), kData, 4);
  k.barrier(1, 0);
  k.write(block(0), kData, 4);
  k.barrier(0);
  EXPECT_TRUE(k.model.races().empty()) << "the other block's matter";
  k.barrier(1, 1);
  EXPECT_EQ(k.count(Rule::kEagerEarlierReads), 1U);
  EXPECT_EQ(k.count(Rule::kEagerReads), 0U);
  k.barrier(1, 2);
  EXPECT_EQ(k.count(Rule::kEagerEarlierReads), 1U) << "already checked";
  EXPECT_GT(k.count(Rule::kAlreadyChecked), 0U);
}

// Step 3: what it has written since its last barrier.
TEST(CurdEager, WritesSinceTheBarrier) {
  CurdKernel k = eager(2);
  k.write(block(0), kData, 4);
  k.barrier(0, 0);
  k.barrier(0, 1);
  k.write(block(1), kData, 4);
  k.barrier(1, 0);
  EXPECT_EQ(k.count(Rule::kEagerWrites), 1U);
  k.barrier(1, 1);
  k.barrier(0, 2);
  EXPECT_EQ(k.count(Rule::kEagerWrites), 1U) << "no pair of subsets twice";
}

// A block that has ended looks once more when the kernel ends.
TEST(CurdEager, WritesBehindTheEndOfAReader) {
  CurdKernel k = eager(2);
  k.read(block(1), kData, 4);
  k.exit_block(1);
  k.write(block(0), kData, 4);
  k.exit_block(0);
  EXPECT_TRUE(k.model.races().empty());
  EXPECT_EQ(k.found(), Found{"inter-block 3 1"});
}

// Figure 6.6: the lazy scheme has location A once, the eager one in both of its subsets.
TEST(CurdEager, SubsetsAreApart) {
  Counts counts;
  std::pmr::memory_resource* const memory = std::pmr::get_default_resource();
  struct None : InterBlockSink, IntraBlockSink {
    void race(Rule, const Party&, const Party&, const Region&) override { ++count; }
    void race(Rule, const Accessor&, const Accessor&, const Region&) override { ++count; }
    int count = 0;
  } none;
  EagerChecks checks(counts, memory);
  IntraBlock sets(counts, memory);
  BlockState state(memory);
  state.warps.emplace_back(memory);
  std::array<std::uint64_t, kLanes> address{};
  address.fill(kData);
  for (int region = 0; region < 2; ++region) {
    StripeStore& store = state.warps[0].of(Side::kRead, 0);
    store.clear();
    store.make_room();
    insert(store.stripe(), {address.data(), 1, 4, 1, 0}, 4);
    state.use(Side::kRead, 0);
    sets.check(state, 0, false, none);
    checks.barrier(0, sets, false, none);
  }
  EXPECT_EQ(checks.subsets(0), 2U);
  checks.barrier(1, sets, false, none);
  EXPECT_EQ(checks.already_checked(1, 0), 2U);
  EXPECT_EQ(checks.already_checked(0, 1), 0U);
  checks.finish(false, none);
  EXPECT_EQ(checks.already_checked(0, 1), 1U);
  EXPECT_EQ(none.count, 0);
}

TEST(CurdEager, VeryManyBlocksAreCheckedLazily) {
  CurdKernel k = eager(EagerChecks::kMostBlocks + 1);
  k.write(block(0), kData, 4);
  k.barrier(0);
  k.read(block(1), kData, 4);
  k.barrier(1);
  EXPECT_TRUE(k.model.races().empty());
  EXPECT_EQ(k.found().size(), 1U);
  EXPECT_EQ(k.count(Rule::kLazyReadWrite), 1U);
}

// Many blocks, sorted together: each race once, and none of a block with itself.
TEST(CurdLazy, OwnersAreTold) {
  CurdKernel k(50, 32);
  for (std::uint64_t b = 0; b < 50; ++b) {
    k.write(block(b), kData + b * 128, 4);
    k.barrier(b);
    k.read(block(b), kData + b * 128 + 64, 4);  // 16 lanes reach into the next block's part
  }
  k.end();
  EXPECT_EQ(k.count(Rule::kLazyReadWrite), 49U);
  EXPECT_EQ(k.count(Rule::kLazyWriteWrite), 0U);
  EXPECT_EQ(k.model.races()[0].size, 64U);
}

}  // namespace
}  // namespace redflag::gpu::curd
