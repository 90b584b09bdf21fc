// What releases publish and acquires learn, who pays for it in memory, and who gets whose slot.
#include "core/live/clock.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace redflag::live {
namespace {

class ClockTest : public testing::Test {
 protected:
  ~ClockTest() override { arena_.destroy(); }

  // The clock of a thread in `slot` that knows these clocks, its own among them.
  ThreadClock make(std::uint32_t slot, std::initializer_list<std::uint64_t> clocks) {
    ThreadClock c;
    c.reserve(arena_, static_cast<std::uint32_t>(clocks.size()));
    std::uint32_t i = 0;
    for (const std::uint64_t clock : clocks) c.clocks[i++] = clock;
    c.epoch = Epoch(Slot{slot}, c.clocks[slot]);
    return c;
  }
  static void expect(const ThreadClock& c, std::initializer_list<std::uint64_t> clocks) {
    std::uint32_t i = 0;
    for (const std::uint64_t clock : clocks) {
      EXPECT_EQ(c.at(Slot{i}), clock) << "slot " << i;
      ++i;
    }
  }

  Arena arena_;
};

TEST_F(ClockTest, AnAcquireLearnsWhatWasReleased) {
  ThreadClock a = make(0, {5, 2, 0});
  ThreadClock b = make(1, {1, 9, 4});
  SyncClock s;
  EXPECT_TRUE(s.empty());
  EXPECT_TRUE(s.covered_by(b));
  s.store(arena_, a);
  EXPECT_FALSE(s.covered_by(b));
  a.advance();
  s.acquire(arena_, b);
  expect(b, {5, 9, 4});
  EXPECT_TRUE(s.covered_by(b));
  EXPECT_TRUE(b.covers(Epoch(Slot{0}, 5)));
  EXPECT_FALSE(b.covers(a.epoch)) << "what came after the release";
}

TEST_F(ClockTest, AStoreReplacesAndAMergeAdds) {
  ThreadClock a = make(0, {5, 0, 3});
  ThreadClock b = make(1, {0, 7, 0});
  SyncClock s;
  s.store(arena_, a);
  s.store(arena_, b);
  ThreadClock c = make(2, {0, 0, 1});
  s.acquire(arena_, c);
  expect(c, {0, 7, 1});
  s.merge(arena_, a);
  EXPECT_FALSE(s.at) << "no epoch stands for both";
  ThreadClock d = make(3, {0, 0, 0, 1});
  EXPECT_FALSE(s.covered_by(d));
  s.acquire(arena_, d);
  expect(d, {5, 7, 3, 1});
  EXPECT_TRUE(s.covered_by(d));
  EXPECT_FALSE(s.covered_by(a));
}

TEST_F(ClockTest, AMergeByWhoKnowsAllIsAStore) {
  ThreadClock a = make(0, {5, 0});
  SyncClock s;
  s.store(arena_, a);
  ThreadClock b = make(1, {5, 2});
  s.merge(arena_, b);
  EXPECT_EQ(s.at, b.epoch);
}

TEST_F(ClockTest, MergedClocksOfDifferentLengths) {
  ThreadClock a = make(0, {5});
  ThreadClock b = make(4, {0, 0, 1, 0, 6});
  SyncClock s;
  SyncClock other;
  s.store(arena_, a);
  other.store(arena_, b);
  s.merge(arena_, other);
  ThreadClock c = make(1, {0, 1});
  s.acquire(arena_, c);
  expect(c, {5, 1, 1, 0, 6});
  SyncClock none;
  s.merge(arena_, none);
  none.merge(arena_, s);
  EXPECT_EQ(none.known, s.known) << "shared, not copied";
  // What two share does not change when one of them goes on.
  ThreadClock d = make(1, {0, 8});
  s.merge(arena_, d);
  ThreadClock e = make(2, {0, 0, 1});
  none.acquire(arena_, e);
  expect(e, {5, 0, 1, 0, 6});
}

TEST_F(ClockTest, SnapshotsAreSharedAndGivenBack) {
  ThreadClock a = make(0, {5, 2, 0, 0, 0, 0, 0, 1});
  const std::size_t before = arena_.bytes_in_use();
  SyncClock locks[100];
  for (SyncClock& s : locks) {
    s.store(arena_, a);
    a.advance();
  }
  const std::size_t one = arena_.bytes_in_use() - before;
  EXPECT_LE(one, 128U) << "one snapshot serves all releases of a thread that learnt nothing";
  EXPECT_EQ(a.snapshot->references.load(), 101U);
  ThreadClock b = make(1, {0, 9});
  const std::size_t with_b = arena_.bytes_in_use();
  SyncClock s;
  s.store(arena_, b);
  s.acquire(arena_, a);
  EXPECT_EQ(a.snapshot, nullptr) << "it is no longer true";
  s.clear(arena_);
  b.learned(arena_);
  for (SyncClock& l : locks) l.clear(arena_);
  EXPECT_EQ(arena_.bytes_in_use(), with_b - one);
  a.free(arena_);
  b.free(arena_);
  EXPECT_EQ(arena_.bytes_in_use(), 0U);
}

TEST_F(ClockTest, AnAcquireOfWhatIsKnownKeepsTheSnapshot) {
  ThreadClock a = make(0, {5, 0});
  ThreadClock b = make(1, {5, 3});
  SyncClock s;
  SyncClock mine;
  s.store(arena_, a);
  mine.store(arena_, b);
  const Snapshot* before = b.snapshot;
  s.acquire(arena_, b);
  EXPECT_EQ(b.snapshot, before);
}

TEST_F(ClockTest, APeekIsNotMoreThanTheTruth) {
  ThreadClock c = make(0, {5, 2, 7});
  EXPECT_EQ(c.peek(0), 5U);
  EXPECT_EQ(c.peek(2), 7U);
  EXPECT_EQ(c.peek(3), 0U);
  EXPECT_EQ(c.peek(1U << 30), 0U);
  c.reserve(arena_, 100);  // moves
  EXPECT_EQ(c.version % 2, 0U);
  EXPECT_EQ(c.peek(2), 7U);
  EXPECT_EQ(c.peek(99), 0U);
  ++c.version;  // as while it moves
  EXPECT_EQ(c.peek(2), 0U);
  --c.version;
  c.free(arena_);
  EXPECT_EQ(c.peek(0), 0U);
}

class SlotsTest : public ClockTest {
 protected:
  Slots slots_;
};

TEST_F(SlotsTest, ASlotPassesOnOnlyToWhoKnowsItsPast) {
  const Epoch a = slots_.begin(arena_, nullptr, 10);
  EXPECT_EQ(a, Epoch(Slot{0}, 1));
  const Epoch b = slots_.begin(arena_, nullptr, 11);
  EXPECT_EQ(b, Epoch(Slot{1}, 1));
  slots_.end(Epoch(Slot{1}, 4));
  const ThreadClock stranger = make(0, {1, 3});
  EXPECT_EQ(slots_.begin(arena_, &stranger, 12), Epoch(Slot{2}, 1));
  EXPECT_EQ(slots_.begin(arena_, nullptr, 13), Epoch(Slot{3}, 1));
  const ThreadClock knows = make(0, {1, 4});
  EXPECT_EQ(slots_.begin(arena_, &knows, 14), Epoch(Slot{1}, 5));
  EXPECT_EQ(slots_.begin(arena_, &knows, 15), Epoch(Slot{4}, 1)) << "it is taken";
  EXPECT_EQ(slots_.count(), 5U);
}

TEST_F(SlotsTest, TheOldestFirst) {
  for (std::uint32_t k = 0; k < 6; ++k) slots_.begin(arena_, nullptr, k);
  for (const std::uint32_t s : {3U, 1U, 5U, 2U}) slots_.end(Epoch(Slot{s}, 2));
  const ThreadClock knows = make(0, {9, 9, 9, 9, 9, 9});
  EXPECT_EQ(slots_.begin(arena_, &knows, 20).slot(), Slot{3});
  EXPECT_EQ(slots_.begin(arena_, &knows, 21).slot(), Slot{1});
  // The oldest that it knows.
  const ThreadClock some = make(0, {9, 9, 9, 9, 9, 1});
  EXPECT_EQ(slots_.begin(arena_, &some, 22).slot(), Slot{2});
  EXPECT_EQ(slots_.begin(arena_, &knows, 23).slot(), Slot{5});
  EXPECT_EQ(slots_.count(), 6U);
}

TEST_F(SlotsTest, ManyEndAndAllPassOn) {
  constexpr std::uint32_t kMany = 1000;
  for (std::uint32_t k = 0; k < kMany; ++k) slots_.begin(arena_, nullptr, k);
  ThreadClock knows = make(0, {9});
  knows.reserve(arena_, kMany);
  for (std::uint32_t round = 1; round < 4; ++round) {
    for (std::uint32_t k = 1; k < kMany; ++k) {
      slots_.end(Epoch(Slot{k}, round * 10));
      knows.clocks[k] = round * 10;
    }
    for (std::uint32_t k = 1; k < kMany; ++k) {
      EXPECT_EQ(slots_.begin(arena_, &knows, round * kMany + k).clock(), round * 10 + 1);
    }
  }
  EXPECT_EQ(slots_.count(), kMany);
}

TEST_F(SlotsTest, WhoWasInAnEpoch) {
  slots_.begin(arena_, nullptr, 7);
  slots_.end(Epoch(Slot{0}, 5));
  const ThreadClock knows = make(0, {5});
  slots_.begin(arena_, &knows, 8);
  std::uint32_t thread = 0;
  EXPECT_TRUE(slots_.owner(Epoch(Slot{0}, 5), thread));
  EXPECT_EQ(thread, 7U);
  EXPECT_TRUE(slots_.owner(Epoch(Slot{0}, 6), thread));
  EXPECT_EQ(thread, 8U);
  EXPECT_FALSE(slots_.owner(Epoch(Slot{1}, 1), thread));
}

}  // namespace
}  // namespace redflag::live
