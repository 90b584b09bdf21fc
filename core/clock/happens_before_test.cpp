// Each ordering rule of docs/how/semantics.md by itself: what one thread did is, or is not, before
// another's now.
#include "core/clock/happens_before.h"

#include <gtest/gtest.h>

#include "core/base/memory.h"
#include "core/model/make_event.h"

namespace redflag {
namespace {

using namespace make;

class HappensBeforeTest : public testing::Test {
 protected:
  void run(std::initializer_list<Event> events) {
    for (const Event& e : events) order_.on_event(e);
  }
  Epoch now(std::uint32_t t) { return order_.thread(ThreadId{t}).epoch; }
  bool before(Epoch moment, std::uint32_t t) { return order_.thread(ThreadId{t}).covers(moment); }

  PageResource memory_;
  HappensBefore order_{&memory_};
};

TEST_F(HappensBeforeTest, ForkOrdersTheParentsPastOnly) {
  const Epoch past = now(0);
  run({fork(0, 1)});
  EXPECT_TRUE(before(past, 1));
  EXPECT_FALSE(before(now(0), 1));
  EXPECT_FALSE(before(now(1), 0));
}

TEST_F(HappensBeforeTest, JoinOrdersAllOfTheChild) {
  run({fork(0, 1)});
  const Epoch last = now(1);
  run({join(0, 1)});
  EXPECT_TRUE(before(last, 0));
}

TEST_F(HappensBeforeTest, LockHandsOnWhatWasBeforeItsRelease) {
  run({fork(0, 1), acquire(0, 7)});
  const Epoch inside = now(0);
  run({release(0, 7)});
  const Epoch after = now(0);
  EXPECT_FALSE(before(inside, 1));
  run({acquire(1, 7)});
  EXPECT_TRUE(before(inside, 1));
  EXPECT_FALSE(before(after, 1));
  run({release(1, 7)});
  EXPECT_FALSE(before(inside, 2)) << "an unrelated thread learns nothing";
}

TEST_F(HappensBeforeTest, ReadersDoNotOrderEachOtherButDoOrderTheWriter) {
  run({fork(0, 1), fork(0, 2), acquire_shared(1, 7)});
  const Epoch reader = now(1);
  run({release_shared(1, 7), acquire_shared(2, 7)});
  EXPECT_FALSE(before(reader, 2));
  const Epoch reader2 = now(2);
  run({release_shared(2, 7), acquire(0, 7)});
  EXPECT_TRUE(before(reader, 0));
  EXPECT_TRUE(before(reader2, 0));
}

TEST_F(HappensBeforeTest, BarrierOrdersEnterBeforeExitAndKeepsRoundsApart) {
  run({fork(0, 1)});
  const Epoch a = now(0);
  const Epoch b = now(1);
  run({barrier_enter(0, 9), barrier_enter(1, 9), barrier_exit(0, 9)});
  EXPECT_TRUE(before(b, 0));
  const Epoch between = now(0);
  run({barrier_enter(0, 9), barrier_exit(1, 9)});  // T0 is already in the next round
  EXPECT_TRUE(before(a, 1));
  EXPECT_FALSE(before(between, 1)) << "the next round is not this one";
  run({barrier_enter(1, 9), barrier_exit(1, 9)});
  EXPECT_TRUE(before(between, 1));
}

TEST_F(HappensBeforeTest, BarrierRoundsOfDifferentThreadsAreUnrelated) {
  run({fork(0, 1), fork(0, 2)});
  const Epoch a = now(1);
  run({barrier_enter(1, 9), barrier_exit(1, 9), barrier_enter(2, 9), barrier_exit(2, 9)});
  EXPECT_FALSE(before(a, 2));
}

struct OrderCase {
  Order store;
  Order load;
  bool ordered;
};
class AtomicOrders : public HappensBeforeTest, public testing::WithParamInterface<OrderCase> {};

TEST_P(AtomicOrders, StoreToLoad) {
  run({fork(0, 1)});
  const Epoch data = now(0);
  run({store(0, 0x40, GetParam().store), load(1, 0x40, GetParam().load)});
  EXPECT_EQ(before(data, 1), GetParam().ordered);
}

INSTANTIATE_TEST_SUITE_P(All, AtomicOrders,
                         testing::Values(OrderCase{Order::kRelease, Order::kAcquire, true},
                                         OrderCase{Order::kSeqCst, Order::kSeqCst, true},
                                         OrderCase{Order::kRelease, Order::kSeqCst, true},
                                         OrderCase{Order::kRelaxed, Order::kAcquire, false},
                                         OrderCase{Order::kRelease, Order::kRelaxed, false},
                                         OrderCase{Order::kRelaxed, Order::kRelaxed, false}));

TEST_F(HappensBeforeTest, UpdatesContinueAReleaseSequenceAndStoresEndIt) {
  run({fork(0, 1), fork(0, 2)});
  const Epoch data = now(0);
  run({store(0, 0x40, Order::kRelease), rmw(1, 0x40, Order::kRelaxed)});
  EXPECT_FALSE(before(data, 1));
  run({load(2, 0x40, Order::kAcquire)});
  EXPECT_TRUE(before(data, 2));
  run({store(1, 0x40, Order::kRelaxed)});
  order_.on_event(fork(1, 3));
  run({load(3, 0x40, Order::kAcquire)});
  EXPECT_FALSE(before(data, 3)) << "C++20: a plain store by another thread ends the sequence";
}

TEST_F(HappensBeforeTest, FencesMakeRelaxedOperationsOrder) {
  run({fork(0, 1)});
  const Epoch data = now(0);
  run({fence(0, Order::kRelease)});
  const Epoch after_fence = now(0);
  run({store(0, 0x40, Order::kRelaxed), load(1, 0x40, Order::kRelaxed)});
  EXPECT_FALSE(before(data, 1)) << "no acquire fence yet";
  run({fence(1, Order::kAcquire)});
  EXPECT_TRUE(before(data, 1));
  EXPECT_FALSE(before(after_fence, 1)) << "what comes after the release fence is not published";
}

TEST_F(HappensBeforeTest, AFenceOnTheWrongSideDoesNothing) {
  run({fork(0, 1)});
  const Epoch data = now(0);
  run({store(0, 0x40, Order::kRelaxed), fence(0, Order::kRelease), fence(1, Order::kAcquire),
       load(1, 0x40, Order::kRelaxed)});
  EXPECT_FALSE(before(data, 1));
}

TEST_F(HappensBeforeTest, VolatileIsDataUnlessAskedFor) {
  run({fork(0, 1)});
  Epoch data = now(0);
  run({volatile_write(0, 0x40), volatile_read(1, 0x40)});
  EXPECT_FALSE(before(data, 1));
  PageResource memory;
  HappensBefore java(&memory, VolatileMeaning::kSync);
  java.on_event(fork(0, 1));
  data = java.thread(ThreadId{0}).epoch;
  java.on_event(volatile_write(0, 0x40));
  java.on_event(volatile_read(1, 0x40));
  EXPECT_TRUE(java.thread(ThreadId{1}).covers(data));
}

TEST_F(HappensBeforeTest, NewMemoryForgetsItsAtomics) {
  run({fork(0, 1)});
  const Epoch data = now(0);
  run({store(0, 0x40, Order::kRelease), alloc(1, 0x40, 8), load(1, 0x40, Order::kAcquire)});
  EXPECT_FALSE(before(data, 1));
}

TEST_F(HappensBeforeTest, JoinedThreadsPassTheirSlotsOn) {
  for (std::uint32_t t = 1; t <= 1000; ++t) {
    run({fork(0, t)});
    const Epoch was = now(t);
    EXPECT_EQ(order_.owner(was), ThreadId{t});
    run({join(0, t)});
    EXPECT_TRUE(before(was, 0));
  }
  EXPECT_EQ(order_.slots(), 2U);
  EXPECT_EQ(order_.live_threads(), 1U);
}

TEST_F(HappensBeforeTest, AKnownSlotIsFoundAlsoBehindManyUnknownOnes) {
  for (std::uint32_t t = 1; t <= 41; ++t) run({fork(0, t)});
  for (std::uint32_t t = 1; t <= 41; ++t) run({end(t)});
  run({join(0, 1)});  // the first to end; the others above it are unknown to T0
  const std::size_t before_fork = order_.slots();
  run({fork(0, 50)});
  EXPECT_EQ(order_.slots(), before_fork);
}

TEST_F(HappensBeforeTest, ASlotIsNotPassedOnToAThreadThatDoesNotKnowItsPast) {
  run({fork(0, 1), fork(0, 2)});
  const Epoch past = now(1);
  run({end(1), fork(2, 3)});  // T2 never synchronised with T1
  EXPECT_FALSE(before(past, 3));
  EXPECT_EQ(order_.slots(), 4U);
}

TEST_F(HappensBeforeTest, FloorIsWhatEveryLiveThreadKnows) {
  const Epoch start = now(0);
  run({fork(0, 1), fork(0, 2)});
  const Epoch later = now(1);
  run({release(1, 7), acquire(0, 7)});
  VectorClock floor(&memory_);
  order_.floor(floor);
  EXPECT_TRUE(floor.covers(start));
  EXPECT_FALSE(floor.covers(later)) << "T2 does not know it";
  run({end(2)});
  order_.floor(floor);
  EXPECT_TRUE(floor.covers(later)) << "an ended thread needs to know nothing";
}

}  // namespace
}  // namespace redflag
