#include "core/report/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Well-formedness is checked with a real XML reader in tests/web/xml_test.py.

TEST(Junit, NoFindingsIsOnePassedTest) {
  const std::string xml = write_junit(sample::empty());
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"0\""));
  EXPECT_THAT(xml, HasSubstr("name=\"no data races in bank\"/>"));
  EXPECT_THAT(xml, Not(HasSubstr("<failure")));
}

TEST(Junit, AFindingIsAFailedTest) {
  const std::string xml = write_junit(sample::one());
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"race-write-write\" name=\"data race: write "
                             "against write on &#39;balance&#39;: deposit(long) and reset()\" "
                             "file=\"bank.cpp\" line=\"21\">"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"race-write-write\" message=\"T1 (teller) held the "
                             "lock accounts, T0 (main) held none.\">error[race-write-write]: "));
}

TEST(Junit, KnownFindingsAreSkipped) {
  const std::string xml = write_junit(sample::usual());
  EXPECT_THAT(xml, HasSubstr("tests=\"7\" failures=\"5\" errors=\"0\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"known from the baseline\"/>"));
}

TEST(Junit, WhatWasNotLookedAtIsInTheOutput) {
  EXPECT_THAT(write_junit(sample::live_run()), HasSubstr("\nredflag: not looked at: 2 libraries"));
  EXPECT_THAT(write_junit(sample::usual()), Not(HasSubstr("not looked at")));
}

TEST(Junit, TheFileIsTheProgramsOwn) {
  Report report = sample::empty();
  report.findings = {sample::in_library()};
  EXPECT_THAT(write_junit(report), HasSubstr("file=\"names.cpp\" line=\"24\""));
}

}  // namespace
}  // namespace redflag
