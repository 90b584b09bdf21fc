#include "confirm/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace redflag::confirm {
namespace {

using ::testing::ElementsAre;

std::vector<Outcome> nothing(const Trial& trial) {
  return std::vector<Outcome>(trial.attempts.size());
}

TEST(Plan, EveryPairHasItsRuns) {
  Plan plan(11, {.runs = 8, .patience = 10, .together = 4});
  std::map<std::size_t, int> tried;
  std::map<std::size_t, int> alone;
  while (const std::optional<Trial> trial = plan.next()) {
    EXPECT_LE(trial->attempts.size(), 4U);
    for (const Attempt& attempt : trial->attempts) {
      ++tried[attempt.pair];
      alone[attempt.pair] += trial->attempts.size() == 1;
    }
    plan.record(*trial, nothing(*trial));
  }
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(tried[i], 8) << i;
    EXPECT_GE(alone[i], 4) << i;
    EXPECT_EQ(plan.states()[i].confirmed_in, 0U);
  }
}

TEST(Plan, WhatIsConfirmedIsNotTriedAgain) {
  Plan plan(2, {.runs = 20, .patience = 10, .together = 8});
  for (int run = 1; run <= 2; ++run) {
    const std::optional<Trial> trial = plan.next();
    ASSERT_TRUE(trial);
    ASSERT_EQ(trial->attempts.size(), 2U);
    std::vector<Outcome> outcomes = nothing(*trial);
    outcomes[1].met = run == 2;
    plan.record(*trial, outcomes);
  }
  EXPECT_EQ(plan.states()[1].confirmed_in, 2U);
  const std::optional<Trial> trial = plan.next();
  ASSERT_TRUE(trial);
  ASSERT_EQ(trial->attempts.size(), 1U);
  EXPECT_EQ(trial->attempts[0].pair, 0U);
}

TEST(Plan, TheWayChangesAndPatienceGrows) {
  Plan plan(1, {.runs = 20, .patience = 10, .together = 8});
  std::uint32_t last = 0;
  int first_only = 0;
  int second_only = 0;
  std::vector<std::uint64_t> seeds;
  while (const std::optional<Trial> trial = plan.next()) {
    const Attempt& attempt = trial->attempts[0];
    EXPECT_TRUE(attempt.held[0] || attempt.held[1]);
    first_only += !attempt.held[1];
    second_only += !attempt.held[0];
    EXPECT_GE(trial->patience, last);
    EXPECT_GE(trial->budget, trial->patience);
    last = trial->patience;
    seeds.push_back(trial->seed);
    plan.record(*trial, nothing(*trial));
  }
  EXPECT_EQ(last, 160U);
  EXPECT_EQ(first_only, 5);
  EXPECT_EQ(second_only, 5);
  EXPECT_EQ(seeds.size(), 20U);
  EXPECT_NE(seeds[0], seeds[1]);
}

TEST(Plan, WhatWasLearnedIsAHintForTheNextRun) {
  Plan plan(1, {});
  std::optional<Trial> trial = plan.next();
  std::vector<Outcome> outcomes = nothing(*trial);
  outcomes[0].learned[1] = {{2, 7}, {2, 7}, {3, 1}};
  outcomes[0].reached = {true, false};
  plan.record(*trial, outcomes);
  trial = plan.next();
  EXPECT_THAT(trial->attempts[0].hints[1], ElementsAre(Arrival{2, 7}, Arrival{3, 1}));
  EXPECT_TRUE(trial->attempts[0].hints[0].empty());
  EXPECT_TRUE(plan.states()[0].reached[0]);
  EXPECT_FALSE(plan.states()[0].reached[1]);
  // Bounded: the oldest go.
  for (std::uint32_t i = 0; i < 40; ++i) outcomes[0].learned[1].push_back({9, i});
  plan.record(*trial, outcomes);
  trial = plan.next();
  EXPECT_EQ(trial->attempts[0].hints[1].size(), 16U);
  EXPECT_EQ(trial->attempts[0].hints[1].back(), (Arrival{9, 39}));
}

Outcome unordered() {
  Outcome made;
  made.unordered = true;
  made.learned = {{{{1, 1}}, {{2, 1}}}};
  return made;
}
Outcome ordered() {
  Outcome made = unordered();
  made.unordered = false;
  return made;
}

// Runs a plan for one pair to its end: what weak and strong runs say.
Plan::State played(const Outcome& usual, const Outcome& strong) {
  Plan plan(1, {.runs = 6, .patience = 10, .together = 8});
  while (const std::optional<Trial> trial = plan.next()) {
    if (trial->strong) {
      EXPECT_FALSE(trial->attempts[0].held[0] || trial->attempts[0].held[1]);
      EXPECT_GE(plan.states()[0].tried, 3U) << "to meet is the better evidence";
    }
    plan.record(*trial, {trial->strong ? strong : usual});
  }
  return plan.states()[0];
}

TEST(Plan, WhatOnlyWeakAtomicsLeaveUnorderedIsConfirmed) {
  const Plan::State state = played(unordered(), ordered());
  EXPECT_TRUE(state.is_weak());
  EXPECT_EQ(state.unordered_in, 1U);
  EXPECT_EQ(state.tried, 3U) << "no more runs are needed";
  EXPECT_EQ(state.strong_tried, 3U);
}

TEST(Plan, WhatIsUnorderedEvenThenShouldHaveMet) {
  const Plan::State state = played(unordered(), unordered());
  EXPECT_FALSE(state.is_weak());
  EXPECT_EQ(state.tried, 6U);
  EXPECT_EQ(state.strong_tried, 1U);
}

TEST(Plan, SilenceWithoutTheTwoStatementsSaysNothing) {
  EXPECT_FALSE(played(unordered(), Outcome{}).is_weak());
  EXPECT_FALSE(played(ordered(), ordered()).is_weak());
  Outcome met = unordered();
  met.met = true;
  const Plan::State state = played(met, ordered());
  EXPECT_FALSE(state.is_weak());
  EXPECT_EQ(state.confirmed_in, 1U);
}

TEST(Plan, OfNothingNothing) {
  Plan plan(0, {});
  EXPECT_FALSE(plan.next());
}

TEST(Plan, OfAJobTheDetectorMustAgree) {
  Plan plan(1, {.runs = 4, .patience = 10, .together = 8, .is_job = true});
  for (int run = 1; run <= 3; ++run) {
    const std::optional<Trial> trial = plan.next();
    ASSERT_TRUE(trial);
    EXPECT_FALSE(trial->strong);
    std::vector<Outcome> outcomes = nothing(*trial);
    outcomes[0].met = run != 2;
    outcomes[0].unordered = run != 1;
    plan.record(*trial, outcomes);
    EXPECT_EQ(plan.states()[0].confirmed_in, run == 3 ? 3U : 0U);
  }
  EXPECT_FALSE(plan.next());
}

TEST(Plan, OperationsOfAJobAreDeferredUntilThatGoesWrong) {
  Plan plan(1, {.runs = 9, .patience = 10, .together = 8, .is_job = true});
  std::vector<Defer> ways;
  while (const std::optional<Trial> trial = plan.next()) {
    ways.push_back(trial->attempts[0].defer);
    plan.record(*trial, nothing(*trial));
    if (ways.size() == 6) plan.stop_deferring();
  }
  using enum Defer;
  EXPECT_THAT(ways, ElementsAre(kAtOnce, kLater, kReversed, kAtOnce, kLater, kReversed, kAtOnce,
                                kAtOnce, kAtOnce));
}

}  // namespace
}  // namespace redflag::confirm
