#include "core/detect/pgas/knowledge.h"

#include <gtest/gtest.h>

#include "core/detect/pgas/thread_clock.h"

namespace redflag::pgas {
namespace {

TEST(Knowledge, LearnsTheLatest) {
  Knowledge k;
  k.learn({3, 0}, 7);
  k.learn({1, 0}, 2);
  k.learn({3, 0}, 5);
  EXPECT_EQ(k.counter_of({3, 0}), 7U);
  EXPECT_TRUE(k.knows({1, 0}, {0, 2}));
  EXPECT_FALSE(k.knows({1, 0}, {0, 3}));
  EXPECT_FALSE(k.knows({2, 0}, {0, 1}));
  EXPECT_EQ(k.known().size(), 2U);
}

TEST(Knowledge, ABarrierOfAllNeedsNoEntries) {
  Knowledge k;
  for (std::uint32_t rank = 0; rank < 1000; ++rank) k.learn({rank, 0}, 5);
  k.enter(1);
  EXPECT_TRUE(k.known().empty());
  for (std::uint32_t rank = 0; rank < 1000; ++rank) {
    EXPECT_TRUE(k.knows({rank, 0}, {0, 900}));
    EXPECT_FALSE(k.knows({rank, 0}, {1, 3}));
  }
}

// A rank's other threads are not ordered by a barrier whose caller does not know of them.
TEST(Knowledge, ABarrierSaysNothingOfItsExceptions) {
  Knowledge k;
  k.learn({2, 1}, 5);
  k.enter(1, {{2, 1}, {3, 1}});
  EXPECT_TRUE(k.knows({2, 1}, {0, 5}));
  EXPECT_FALSE(k.knows({2, 1}, {0, 6}));
  EXPECT_FALSE(k.knows({3, 1}, {0, 1}));
  EXPECT_TRUE(k.knows({4, 1}, {0, 9}));
  // Joined in the meantime.
  k.enter(2);
  EXPECT_TRUE(k.knows({2, 1}, {0, 6}));
}

TEST(Knowledge, AMessageFromALaterPhaseCarriesIt) {
  Knowledge late;
  late.enter(2);
  late.learn({1, 0}, 3);
  Knowledge k;
  k.learn({4, 0}, 9);
  k.join(late);
  EXPECT_TRUE(k.knows({4, 0}, {1, 77}));
  EXPECT_TRUE(k.knows({1, 0}, {2, 3}));
  EXPECT_FALSE(k.knows({1, 0}, {2, 4}));
  EXPECT_EQ(k.known().size(), 1U);
}

// What a lock passed on may be passed the other way round; so may what is learned from there on.
TEST(Knowledge, WhatALockPassedOnIsNotCertain) {
  Knowledge holder;
  holder.learn({1, 0}, 5);
  holder.hold({1, 0, 0, 1});
  Knowledge next;
  next.learn({1, 0}, 2);
  next.join_by_lock(holder);
  EXPECT_TRUE(next.knows({1, 0}, {0, 5}));
  EXPECT_TRUE(next.knows_for_certain({1, 0}, {0, 2}));
  EXPECT_FALSE(next.knows_for_certain({1, 0}, {0, 3}));
  EXPECT_TRUE(next.held().empty());
  Knowledge told;
  told.join(next);
  EXPECT_TRUE(told.knows({1, 0}, {0, 5}));
  EXPECT_FALSE(told.knows_for_certain({1, 0}, {0, 3}));
  told.learn({1, 0}, 4);
  EXPECT_TRUE(told.knows_for_certain({1, 0}, {0, 4}));
  EXPECT_EQ(told.counter_of({1, 0}), 5U);
}

TEST(ThreadClock, WhatItIssuesSharesItsKnowledge) {
  ThreadClock a({0, 0});
  const auto before = a.issue();
  EXPECT_EQ(before, a.issue());
  const Time then = a.time();
  a.complete();
  EXPECT_LT(then, a.time());
  EXPECT_EQ(before, a.issue());  // of the others it knows nothing new
  ThreadClock b({1, 0});
  a.acquire(*b.release());
  EXPECT_NE(before, a.issue());
}

TEST(ThreadClock, AnAccessBehindAnOperationIsNotBeforeIt) {
  ThreadClock a({0, 0});
  a.issue();
  const Time issued = a.time();
  a.issue();
  EXPECT_EQ(issued, a.time());
  a.access();
  const Time accessed = a.time();
  EXPECT_LT(issued, accessed);
  a.access();
  EXPECT_EQ(accessed, a.time());
}

TEST(ThreadClock, WhatComesBehindAReleaseIsNotInIt) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  b.acquire(*a.release());
  EXPECT_FALSE(b.issue()->knows(a.name(), a.time()));
}

TEST(ThreadClock, TellsOfItselfWhateverItLearned) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  a.enter(4);
  b.acquire(*a.release());
  EXPECT_TRUE(b.told().knows(b.name(), b.time()));
}

TEST(ThreadClock, WhatComesBehindABarrierIsNotKnownByIt) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  const Time before = a.time();
  a.enter(1);
  b.enter(1);
  EXPECT_FALSE(b.issue()->knows(a.name(), a.time()));
  EXPECT_TRUE(b.issue()->knows(a.name(), before));
}

}  // namespace
}  // namespace redflag::pgas
