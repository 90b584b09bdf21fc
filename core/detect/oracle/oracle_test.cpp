#include "core/detect/oracle/oracle.h"

#include "core/detect/testing.h"

namespace redflag::oracle {
namespace {

using namespace make;

constexpr std::uint64_t kX = 0x1000;

// Small enough to check by eye; everything else is checked against this detector.
struct OracleTest : testing::Test {
  std::size_t races(std::initializer_list<Event> events) {
    Bench<Oracle> bench;
    return bench.run(events).races().size();
  }
};

TEST_F(OracleTest, UnorderedConflictsRace) {
  EXPECT_EQ(races({fork(0, 1), write(0, kX), write(1, kX)}), 1U);
  EXPECT_EQ(races({fork(0, 1), write(0, kX), read(1, kX)}), 1U);
  EXPECT_EQ(races({fork(0, 1), read(0, kX), write(1, kX)}), 1U);
  EXPECT_EQ(races({fork(0, 1), read(0, kX), read(1, kX)}), 0U);
  EXPECT_EQ(races({fork(0, 1), write(0, kX), write(1, kX + 8)}), 0U);
}

TEST_F(OracleTest, OrderedConflictsDoNot) {
  EXPECT_EQ(races({write(0, kX), fork(0, 1), write(1, kX)}), 0U);
  EXPECT_EQ(races({fork(0, 1), write(1, kX), join(0, 1), write(0, kX)}), 0U);
  EXPECT_EQ(races({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), acquire(1, 7),
                   write(1, kX), release(1, 7)}),
            0U);
  EXPECT_EQ(races({fork(0, 1), write(0, kX), store(0, 0x40, Order::kRelease),
                   load(1, 0x40, Order::kAcquire), read(1, kX)}),
            0U);
  EXPECT_EQ(races({fork(0, 1), write(0, kX), barrier_enter(0, 9), barrier_enter(1, 9),
                   barrier_exit(1, 9), write(1, kX), barrier_exit(0, 9)}),
            0U);
}

TEST_F(OracleTest, WrongOrdersRace) {
  EXPECT_EQ(races({fork(0, 1), write(0, kX), store(0, 0x40, Order::kRelaxed),
                   load(1, 0x40, Order::kAcquire), read(1, kX)}),
            1U);
  EXPECT_EQ(races({fork(0, 1), acquire(0, 7), write(0, kX), release(0, 7), acquire(1, 8),
                   write(1, kX), release(1, 8)}),
            1U);
}

TEST_F(OracleTest, KeepsEveryAccess) {
  Bench<Oracle> bench;
  bench.detector().keep_pairs();
  bench.run({fork(0, 1), fork(0, 2), write(0, kX), write(1, kX), write(2, kX)});
  EXPECT_EQ(bench.detector().races_with(EventIndex{4}, Addr{kX}),
            (std::set<EventIndex>{EventIndex{2}, EventIndex{3}}));
  EXPECT_EQ(stat(bench.detector(), "accesses kept"), 24);
}

}  // namespace
}  // namespace redflag::oracle
