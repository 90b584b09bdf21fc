// What claims allow, by name; frontends/pgas/track/job_window_test.cpp has random jobs.
#include "core/detect/pgas/claims.h"

#include <gtest/gtest.h>

#include "core/detect/pgas/access_of.h"
#include "core/detect/pgas/phase.h"

namespace redflag::pgas {
namespace {

constexpr ThreadName kA{0, 0};
constexpr ThreadName kB{1, 0};
constexpr std::uint32_t kOwner = 2;

Knowledge knowing(std::uint32_t phase, std::vector<Knowledge::Known> known = {}) {
  Knowledge made;
  made.enter(phase);
  for (const Knowledge::Known& each : known) made.learn(each.thread, each.counter);
  return made;
}

Claim claim(std::uint32_t phase, std::vector<Knowledge::Known> told, std::vector<Knowledge> least) {
  Claim made;
  made.phase = phase;
  made.told = std::move(told);
  made.least = std::move(least);
  return made;
}

TEST(Claims, AnAccessIsWholeWhenAllThatItKnowsOfWasTold) {
  Claims claims(kOwner, 3);
  EXPECT_TRUE(claims.is_whole(Knowledge()));
  EXPECT_FALSE(claims.is_whole(knowing(0, {{kA, 5}})));
  claims.renew(0, claim(0, {{kA, 4}}, {}));
  EXPECT_FALSE(claims.is_whole(knowing(0, {{kA, 5}})));
  claims.renew(0, claim(0, {{kA, 5}}, {}));
  EXPECT_TRUE(claims.is_whole(knowing(0, {{kA, 5}})));
  EXPECT_FALSE(claims.is_whole(knowing(0, {{kA, 5}, {kB, 1}})));
  EXPECT_TRUE(claims.is_whole(knowing(0, {{{kOwner, 0}, 100}})));  // what it did itself is here
}

TEST(Claims, APhaseWasToldWhenAllRanksHaveToldOfIt) {
  Claims claims(kOwner, 3);
  claims.renew(0, claim(1, {}, {}));
  claims.renew(1, claim(1, {}, {}));
  EXPECT_FALSE(claims.is_whole(knowing(1)));
  claims.renew(kOwner, claim(1, {}, {}));
  EXPECT_TRUE(claims.is_whole(knowing(1)));
  claims.renew(0, claim(0, {}, {}));  // an old one
  EXPECT_TRUE(claims.is_whole(knowing(1)));
  claims.all_told(knowing(7));
  EXPECT_TRUE(claims.is_whole(knowing(7)));
}

TEST(Claims, FencesTowardsOthersAreNotWaitedFor) {
  const Claims claims(kOwner, 3);
  EXPECT_TRUE(claims.is_whole(knowing(0, {{delivery(0, 1), 9}})));
  EXPECT_FALSE(claims.is_whole(knowing(0, {{delivery(0, kOwner), 9}})));
}

TEST(Claims, WhatAllKnowIsTheLeastOfAll) {
  Claims claims(kOwner, 3);
  claims.renew(0, claim(0, {}, {knowing(0, {{kA, 9}, {kB, 3}})}));
  claims.renew(1, claim(0, {}, {knowing(0, {{kA, 5}, {kB, 8}})}));
  claims.find_floor({});
  EXPECT_FALSE(claims.known_to_all(kA, {0, 1}));  // the owner has claimed nothing
  claims.renew(kOwner, claim(0, {}, {knowing(0, {{kA, 7}})}));
  claims.find_floor({});
  EXPECT_TRUE(claims.known_to_all(kA, {0, 5}));
  EXPECT_FALSE(claims.known_to_all(kA, {0, 6}));
  EXPECT_FALSE(claims.known_to_all(kB, {0, 1}));
  const Knowledge waiting = knowing(0, {{kA, 4}});
  claims.find_floor(std::span(&waiting, 1));
  EXPECT_TRUE(claims.known_to_all(kA, {0, 4}));
  EXPECT_FALSE(claims.known_to_all(kA, {0, 5}));
}

// A phase makes counters known that it does not name.
TEST(Claims, WhoIsInALaterPhaseKnowsAllThatCameBefore) {
  Claims claims(kOwner, 3);
  claims.renew(0, claim(2, {}, {knowing(2)}));
  claims.renew(1, claim(1, {}, {knowing(1, {{kA, 30}})}));
  claims.renew(kOwner, claim(1, {}, {knowing(1, {{kA, 40}})}));
  claims.find_floor({});
  EXPECT_TRUE(claims.known_to_all(kA, {0, 10}));
  EXPECT_TRUE(claims.known_to_all(kA, {1, 30}));
  EXPECT_FALSE(claims.known_to_all(kA, {1, 31}));
  EXPECT_FALSE(claims.known_to_all(kA, {2, 30}));  // of that rank 0 said nothing
}

TEST(Claims, WhoWaitsForABarrierOfAllWillKnowAllBeforeIt) {
  Claims claims(kOwner, 3);
  Claim waits = claim(1, {}, {knowing(1)});
  waits.enters = 2;
  claims.renew(0, waits);
  claims.renew(1, claim(1, {}, {knowing(1, {{kB, 9}})}));
  claims.renew(kOwner, claim(1, {}, {knowing(1, {{kB, 9}})}));
  claims.find_floor({});
  EXPECT_TRUE(claims.known_to_all(kB, {1, 9}));
  waits.has_threads = true;  // another thread of it does not wait
  claims.renew(0, waits);
  claims.find_floor({});
  EXPECT_FALSE(claims.known_to_all(kB, {1, 9}));
}

TEST(Claims, OfThreadsThatNoPhaseSpeaksOfCountersAreAsked) {
  Claims claims(kOwner, 3);
  constexpr ThreadName kOther{1, 1};
  Knowledge known;
  known.enter(1, {kOther});
  for (const std::uint32_t rank : {0U, 1U, kOwner}) claims.renew(rank, claim(1, {}, {known}));
  claims.find_floor({});
  EXPECT_TRUE(claims.known_to_all(kB, {0, 3}));
  EXPECT_FALSE(claims.known_to_all(kOther, {0, 3}));
  known.learn(kOther, 3);
  for (const std::uint32_t rank : {0U, 1U, kOwner}) claims.renew(rank, claim(1, {}, {known}));
  claims.find_floor({});
  EXPECT_TRUE(claims.known_to_all(kOther, {0, 3}));
}

class Settling : public testing::Test {
 protected:
  void add(ThreadClock& by, std::uint64_t begin, std::uint32_t source, bool completes = true) {
    Access made = access_of(by, AccessKind::kPut, begin, 8, source);
    if (completes) made.completed = by.complete();
    phase.add(made);
  }
  void claim_all(const Knowledge& least) {
    for (const ThreadClock* each : {&a, &b}) {
      claims.renew(each->name().rank,
                   claim(0, {{each->name(), each->time().counter}}, {least}));
    }
    claims.renew(kOwner, claim(0, {}, {least}));
  }

  ThreadClock a{kA};
  ThreadClock b{kB};
  Phase phase;
  Claims claims{kOwner, 3};
};

TEST_F(Settling, WhatIsNotWholeIsNotCompared) {
  Access first = access_of(a, AccessKind::kPut, 0, 8, 1);
  first.operation = 1;
  phase.add(first);
  const Time completed = a.complete();  // of which the owner does not know yet
  b.acquire(*a.release());
  add(b, 0, 2);
  EXPECT_TRUE(phase.settle(claims, {}).races.empty());
  EXPECT_EQ(phase.size(), 2U);
  phase.complete(0, 1, completed, kA);
  claim_all({});
  EXPECT_TRUE(phase.settle(claims, {}).races.empty());
  add(b, 0, 3, false);
  add(a, 0, 4, false);
  EXPECT_EQ(phase.settle(claims, {}).races.size(), 2U);  // of a's last with both of b's
}

TEST_F(Settling, WhatAllKnowGoesButForTheLatest) {
  for (std::uint64_t k = 0; k < 10; ++k) add(a, 8 * k, 1);
  const std::uint64_t half = a.time().counter;
  for (std::uint64_t k = 10; k < 20; ++k) add(a, 8 * k, 1);
  claim_all(knowing(0, {{kA, half}}));
  phase.settle(claims, {.kept = 3});
  EXPECT_EQ(phase.size(), 13U);
  phase.settle(claims, {});
  EXPECT_EQ(phase.size(), 10U);
}

TEST_F(Settling, OfThoseAlikeTheLastIsKept) {
  claim_all({});
  for (int k = 0; k < 5; ++k) add(a, 0, 1);
  add(a, 0, 2);         // another place
  add(b, 64, 1);        // another thread, other bytes
  add(a, 4, 1);         // not the same bytes
  add(a, 0, 1, false);  // pending: it stands for those that were complete
  EXPECT_EQ(phase.settle(claims, {}).races.size(), 0U);
  EXPECT_EQ(phase.size(), 4U);
  phase.settle(claims, {.few = 4});
  EXPECT_EQ(phase.size(), 4U);
}

TEST_F(Settling, BeyondTheLimitTheOldestAreLostButNoneThatIsPending) {
  claim_all({});
  add(a, 1000, 9, false);
  for (std::uint64_t k = 0; k < 100; ++k) add(b, 8 * k, 1);
  const Phase::Settled settled = phase.settle(claims, {.most = 80});
  EXPECT_EQ(settled.lost, 41U);  // to three quarters of it
  EXPECT_EQ(phase.size(), 60U);
  add(b, 1000, 2);
  EXPECT_EQ(phase.settle(claims, {}).races.size(), 1U);
}

}  // namespace
}  // namespace redflag::pgas
