#include "cli/job_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::cli {
namespace {

using Words = std::vector<std::string>;

TEST(JobCommand, TheProgramIsBehindRedflagRun) {
  const Words words{"mpirun", "-n", "4", "/opt/bin/redflag", "run", "--", "./app", "--", "7"};
  const std::optional<JobCommand> found = checked_job(words);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->words, words);
  EXPECT_EQ(found->words[found->program], "./app");
}

TEST(JobCommand, OptionsOfRedflagRunAreNotTheProgram) {
  const std::optional<JobCommand> found =
      checked_job({"mpirun", "redflag", "run", "--quiet", "--json=x.json", "./app", "--fast"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->words[found->program], "./app");
}

TEST(JobCommand, WithoutAProgramItIsNone) {
  EXPECT_FALSE(checked_job({"mpirun", "-n", "4", "redflag", "run"}));
  EXPECT_FALSE(checked_job({"mpirun", "-n", "4", "redflag", "run", "--"}));
  EXPECT_FALSE(checked_job({"mpirun", "-n", "4", "./app"}));
  EXPECT_FALSE(checked_job({}));
}

TEST(JobCommand, WhatNeedsNoMpiIsNoProgramOfAJob) {
  EXPECT_FALSE(job_of({"env", "-i", "/bin/true", "4"}));
}

}  // namespace
}  // namespace redflag::cli
