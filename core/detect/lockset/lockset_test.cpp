#include "core/detect/lockset/lockset.h"

#include "core/detect/testing.h"

namespace redflag::lockset {
namespace {

using namespace make;

constexpr std::uint64_t kX = 0x1000;

struct LocksetTest : testing::Test {
  std::size_t predictions(std::initializer_list<Event> events) {
    Bench<Lockset> bench;
    bench.run(events);
    for (const Race& r : bench.races()) EXPECT_EQ(r.rule, Rule::kLockset);
    return bench.races().size();
  }
};

TEST_F(LocksetTest, OneLockEverywhereIsFine) {
  EXPECT_EQ(predictions({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), acquire(1, 7),
                         write(1, kX), release(1, 7)}),
            0U);
}

TEST_F(LocksetTest, PredictsWhatThisRunsOrderHid) {
  // T1 is ordered after T0 by lock 8 in this run, but no lock protects x.
  EXPECT_EQ(predictions({fork(0, 1), write(0, kX), acquire(0, 8), release(0, 8), acquire(1, 8),
                         release(1, 8), write(1, kX)}),
            1U);
}

TEST_F(LocksetTest, ExclusiveUseAndReadSharingAreSilent) {
  EXPECT_EQ(predictions({write(0, kX), write(0, kX), fork(0, 1), read(1, kX), read(0, kX)}), 0U);
}

TEST_F(LocksetTest, SharedLocksProtectReadsNotWrites) {
  EXPECT_EQ(
      predictions({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), acquire_shared(1, 7),
                   read(1, kX), release_shared(1, 7), acquire(0, 7), write(0, kX), release(0, 7)}),
      0U);
  EXPECT_EQ(predictions({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7),
                         acquire_shared(1, 7), write(1, kX), release_shared(1, 7)}),
            1U);
}

TEST_F(LocksetTest, RecursiveLocksAreHeldUntilTheLastRelease) {
  EXPECT_EQ(predictions({fork(0, 1), acquire(0, 7), acquire(0, 7), release(0, 7), write(0, kX),
                         release(0, 7), acquire(1, 7), write(1, kX), release(1, 7), acquire(0, 7),
                         write(0, kX), release(0, 7)}),
            0U);
}

TEST_F(LocksetTest, ReportsAByteOnceAndNamesThePreviousAccess) {
  Bench<Lockset> bench;
  bench.run({fork(0, 1), write(0, kX), write(1, kX), write(0, kX), write(1, kX)});
  ASSERT_EQ(bench.races().size(), 1U);
  EXPECT_EQ(bench.races()[0].first.index, EventIndex{1});
  EXPECT_EQ(bench.races()[0].second.index, EventIndex{2});
  EXPECT_EQ(bench.races()[0].size, 8U);
}

TEST_F(LocksetTest, AtomicsAndNewMemoryAreSilent) {
  EXPECT_EQ(predictions({fork(0, 1), store(0, kX, Order::kRelaxed), rmw(1, kX, Order::kRelaxed),
                         store(0, kX, Order::kRelaxed)}),
            0U);
  EXPECT_EQ(predictions({fork(0, 1), write(0, kX), alloc(1, kX, 8), write(1, kX)}), 0U);
}

}  // namespace
}  // namespace redflag::lockset
