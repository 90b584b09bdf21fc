// Rules by name; races_test.cpp has random jobs.
#include "core/detect/pgas/phase.h"

#include <gtest/gtest.h>

#include "core/detect/pgas/access_of.h"

namespace redflag::pgas {
namespace {

class Rules : public testing::Test {
 protected:
  ThreadClock origin{{0, 0}};
  ThreadClock owner{{1, 0}};
  ThreadClock third{{2, 0}};
  Phase phase;

  void put(ThreadClock& by, Time completed, std::uint32_t source = 1) {
    Access a = access_of(by, AccessKind::kPut, 0, 8, source);
    a.completed = completed;
    phase.add(a);
  }
  void put_and_flush() {
    Access a = access_of(origin, AccessKind::kPut, 0, 8, 1);
    a.completed = origin.complete();
    phase.add(a);
  }
  void load(ThreadClock& by) { phase.add(access_of(by, AccessKind::kLoad, 0, 8, 9)); }
};

TEST_F(Rules, AFlushAndAMessageOrder) {
  put_and_flush();
  owner.acquire(*origin.release());
  load(owner);
  EXPECT_TRUE(phase.check().empty());
}

TEST_F(Rules, AFlushThatNobodyLearnsOfOrdersNothing) {
  put_and_flush();
  load(owner);
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, AMessageBeforeTheFlushOrdersNothing) {
  Access put = access_of(origin, AccessKind::kPut, 0, 8, 1);
  owner.acquire(*origin.release());
  put.completed = origin.complete();
  phase.add(put);
  load(owner);
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, TheOrderIsTransitive) {
  put_and_flush();
  third.acquire(*origin.release());
  owner.acquire(*third.release());
  load(owner);
  EXPECT_TRUE(phase.check().empty());
}

TEST_F(Rules, AGetIsUnderWayForItsOwnThread) {
  phase.add(access_of(origin, AccessKind::kOriginWrite, 0, 8, 1));
  load(origin);
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, ABufferThatIsSentFromMayBeLoadedButNotStored) {
  phase.add(access_of(origin, AccessKind::kOriginRead, 0, 8, 1));
  load(origin);
  EXPECT_TRUE(phase.check().empty());
  phase.add(access_of(origin, AccessKind::kStore, 4, 4, 2));
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, TwoPutsOfOneThreadRaceUntilTheFirstIsComplete) {
  put(origin, kPending, 1);
  put(origin, kPending, 2);
  EXPECT_EQ(phase.check().size(), 1U);
}

struct Together {
  const char* name;
  AccessKind one, other;
  Atomicity x, y;
  std::uint64_t apart;
  bool race;
};
class Atomics : public testing::TestWithParam<Together> {};

TEST_P(Atomics, MayMeetOnlyAlike) {
  const Together& p = GetParam();
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  Access one = access_of(a, p.one, 100, 8, 1);
  Access other = access_of(b, p.other, 100 + p.apart, 8, 2);
  one.atomicity = p.x;
  other.atomicity = p.y;
  EXPECT_EQ(is_race(one, other), p.race);
  EXPECT_EQ(is_race(other, one), p.race);
}

constexpr Atomicity kSum4{1, 1, 4, false};
constexpr Atomicity kMax4{1, 2, 4, false};
constexpr Atomicity kSum4Any{1, 1, 4, true};
constexpr Atomicity kMax4Any{1, 2, 4, true};
constexpr Atomicity kSum8{2, 1, 8, false};
using enum AccessKind;
INSTANTIATE_TEST_SUITE_P(
    All, Atomics,
    testing::Values(Together{"SameOperation", kAccumulate, kAccumulate, kSum4, kSum4, 0, false},
                    Together{"NextElement", kAccumulate, kAccumulate, kSum4, kSum4, 4, false},
                    Together{"OutOfStep", kAccumulate, kAccumulate, kSum4, kSum4, 2, true},
                    Together{"OtherType", kAccumulate, kAccumulate, kSum4, kSum8, 0, true},
                    Together{"OtherOperation", kAccumulate, kAccumulate, kSum4, kMax4, 0, true},
                    Together{"AnyOperation", kAccumulate, kAccumulate, kSum4Any, kMax4Any, 0,
                             false},
                    Together{"FetchAndAnyOperation", kFetch, kAccumulate, kMax4, kSum4, 0, false},
                    Together{"FetchOfOtherType", kFetch, kAccumulate, kSum8, kSum4, 0, true},
                    Together{"Fetches", kFetch, kFetch, kSum8, kSum4, 0, false},
                    Together{"Put", kAccumulate, kPut, kSum4, {}, 0, true},
                    Together{"Get", kAccumulate, kGet, kSum4, {}, 0, true},
                    Together{"GetAndFetch", kFetch, kGet, kSum4, {}, 0, false},
                    Together{"Load", kAccumulate, kLoad, kSum4, {}, 0, true},
                    Together{"Apart", kAccumulate, kStore, kSum4, {}, 8, false}),
    [](const auto& which) { return which.param.name; });

TEST(PhaseTest, AWalkIsOneAccess) {
  ThreadClock a({0, 0});
  Phase phase;
  for (std::uint64_t k = 0; k < 1000; ++k) {  // of two that take turns
    phase.add(access_of(a, kStore, k * 8, 8, 1));
    phase.add(access_of(a, kStore, 100000 + k * 8, 8, 2));
  }
  EXPECT_EQ(phase.size(), 2U);
}

TEST(PhaseTest, OnlyWhatIsPendingGoesOn) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  Phase phase;
  phase.add(access_of(a, kStore, 0, 8, 1));
  Access put = access_of(b, kPut, 64, 8, 2);
  put.operation = 5;
  phase.add(put);
  EXPECT_TRUE(phase.check().empty());
  a.enter(1);
  b.enter(1);
  phase.end(a.known());
  EXPECT_EQ(phase.size(), 1U);
  phase.add(access_of(a, kLoad, 64, 1, 3));
  phase.complete(1, 5, b.complete(), b.name());
  EXPECT_EQ(phase.check().size(), 1U);
  a.enter(2);
  phase.end(a.known());
  EXPECT_EQ(phase.size(), 0U);
}

}  // namespace
}  // namespace redflag::pgas
