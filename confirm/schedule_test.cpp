#include "confirm/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::confirm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Schedule sample() {
  Trial trial;
  trial.patience = 80;
  trial.budget = 480;
  trial.seed = 7;
  trial.attempts.resize(2);
  trial.attempts[1] = {5, {true, false}, false, {}, Defer::kReversed};
  Outcome outcome;
  outcome.places[0].arrival = {0x80020000, 12};
  outcome.places[1].arrival = {0x10000, 3};
  return schedule_of("3d447108a124b5ea", trial, 1, outcome);
}

TEST(Schedule, IsTheOneAttemptAtItsArrivals) {
  const Schedule made = sample();
  ASSERT_EQ(made.trial.attempts.size(), 1U);
  const Attempt& attempt = made.trial.attempts[0];
  EXPECT_TRUE(attempt.only_hints);
  EXPECT_THAT(attempt.hints[0], ElementsAre(Arrival{0x80020000, 12}));
  EXPECT_THAT(attempt.hints[1], ElementsAre(Arrival{0x10000, 3}));
}

TEST(Schedule, IsReadAsItWasWritten) {
  Schedule other = sample();
  other.finding = "ff";
  other.trial.attempts[0].defer = Defer::kLater;
  other.trial.attempts[0].hints[1].clear();
  const Result<std::vector<Schedule>> read = read_schedules(write_schedules({sample(), other}));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].finding, "3d447108a124b5ea");
  EXPECT_EQ((*read)[0].trial.patience, 80U);
  EXPECT_EQ((*read)[0].trial.budget, 480U);
  EXPECT_EQ((*read)[0].trial.seed, 7U);
  Attempt wanted = sample().trial.attempts[0];
  wanted.pair = 0;  // the reader's
  EXPECT_EQ((*read)[0].trial.attempts[0], wanted);
  EXPECT_EQ((*read)[1].finding, "ff");
  EXPECT_EQ((*read)[1].trial.attempts[0].defer, Defer::kLater);
  EXPECT_TRUE((*read)[1].trial.attempts[0].hints[1].empty());
}

TEST(Schedule, WhatIsNoneIsToldByItsLine) {
  const std::string good = write_schedules({sample()});
  EXPECT_FALSE(read_schedules(""));
  EXPECT_THAT(read_schedules("{}").error().message, HasSubstr("line 1"));
  EXPECT_THAT(read_schedules("redflag-schedule 1\n").error().message, HasSubstr("no schedule"));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"hold 80", "hold x"},
                                                        {"side 2", "side 3"},
                                                        {"reversed", "sideways"},
                                                        {"65536:3", "65536-3"},
                                                        {"held yes", "held perhaps"},
                                                        {"end", "ende"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    const Result<std::vector<Schedule>> read = read_schedules(bad);
    ASSERT_FALSE(read) << to;
    EXPECT_THAT(read.error().message, HasSubstr("not a line of a schedule")) << to;
  }
}

TEST(Schedule, SaysWhatWasDone) {
  const std::string text = schedule_text(sample());
  EXPECT_THAT(text,
              HasSubstr("rank 1's operation, time 12 at the first statement, held up to 80 ms"));
  EXPECT_THAT(text, HasSubstr("rank 0, time 3 at the second statement, not held"));
  EXPECT_THAT(text, HasSubstr("the last first"));
}

}  // namespace
}  // namespace redflag::confirm
