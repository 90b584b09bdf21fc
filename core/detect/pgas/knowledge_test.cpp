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
  EXPECT_EQ(k.of({3, 0}), 7U);
  EXPECT_EQ(k.of({1, 0}), 2U);
  EXPECT_EQ(k.of({2, 0}), 0U);
  EXPECT_EQ(k.size(), 2U);
}

TEST(Knowledge, ABarrierOfAllNeedsNoEntries) {
  Knowledge k;
  for (std::uint32_t rank = 0; rank < 1000; ++rank) k.learn({rank, 0}, 5);
  k.enter(1);
  EXPECT_EQ(k.size(), 0U);
  for (std::uint32_t rank = 0; rank < 1000; ++rank) EXPECT_EQ(k.of({rank, 0}), begin_of(1));
}

// A rank's other threads are not ordered by a barrier that their first one calls.
TEST(Knowledge, ABarrierSaysNothingOfOtherThreads) {
  Knowledge k;
  k.learn({2, 1}, 5);
  k.enter(1);
  EXPECT_EQ(k.of({2, 1}), 5U);
  EXPECT_EQ(k.of({3, 1}), 0U);
}

TEST(Knowledge, AMessageFromALaterPhaseCarriesIt) {
  Knowledge late;
  late.enter(2);
  late.learn({1, 0}, begin_of(2) + 3);
  Knowledge k;
  k.learn({4, 0}, 9);
  k.join(late);
  EXPECT_EQ(k.of({4, 0}), begin_of(2));
  EXPECT_EQ(k.of({1, 0}), begin_of(2) + 3);
  EXPECT_EQ(k.size(), 1U);
}

TEST(ThreadClock, WhatItIssuesSharesItsKnowledge) {
  ThreadClock a({0, 0});
  const auto before = a.issue();
  EXPECT_EQ(before, a.issue());
  a.complete();
  EXPECT_NE(before, a.issue());
  EXPECT_LT(before->of(a.name()), a.issue()->of(a.name()));
}

TEST(ThreadClock, AnAccessBehindAnOperationIsNotBeforeIt) {
  ThreadClock a({0, 0});
  const auto issued = a.issue();
  EXPECT_EQ(issued, a.issue());
  a.access();
  EXPECT_LT(issued->of(a.name()), a.time());
  const auto again = a.access();
  EXPECT_EQ(again, a.access());
}

TEST(ThreadClock, WhatComesBehindAReleaseIsNotInIt) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  b.acquire(*a.release());
  EXPECT_LT(b.issue()->of(a.name()), a.time());
}

TEST(ThreadClock, WhatComesBehindABarrierIsNotKnownByIt) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  a.enter(1);
  b.enter(1);
  EXPECT_LT(b.issue()->of(a.name()), a.time());
  EXPECT_GE(b.issue()->of(a.name()), begin_of(1));
}

}  // namespace
}  // namespace redflag::pgas
