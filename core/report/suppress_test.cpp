#include "core/report/suppress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/fold.h"
#include "core/report/sample_report.h"

namespace redflag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Report report_of(std::vector<Finding> findings) {
  Report report;
  report.findings = std::move(findings);
  fold(report);
  return report;
}

bool suppresses(const std::string& line, const Finding& finding) {
  Suppressions suppressions;
  const Result<void> parsed = suppressions.add("test.supp", line);
  EXPECT_TRUE(parsed.has_value()) << line;
  Report report = report_of({finding});
  suppressions.apply(report);
  return report.findings.empty();
}

std::string error_of(const std::string& text) {
  Suppressions suppressions;
  const Result<void> parsed = suppressions.add("my.supp", text);
  EXPECT_TRUE(suppressions.all().empty()) << "nothing is added on an error";
  return parsed.has_value() ? "" : parsed.error().message;
}

TEST(Suppress, RaceLooksAtEveryFrameAndTheMemory) {
  const Finding f = sample::write_write();
  EXPECT_TRUE(suppresses("race:deposit", f));
  EXPECT_TRUE(suppresses("race:^teller(int)$", f)) << "a caller";
  EXPECT_TRUE(suppresses("race:^main$", f)) << "the second side";
  EXPECT_TRUE(suppresses("race:bank.cpp", f));
  EXPECT_TRUE(suppresses("race:^balance$", f));
  EXPECT_FALSE(suppresses("race:^deposit$", f));
  EXPECT_FALSE(suppresses("race:nothing", f));
}

TEST(Suppress, RaceTopLooksAtInnermostFramesOnly) {
  const Finding f = sample::write_write();
  EXPECT_TRUE(suppresses("race_top:deposit", f));
  EXPECT_TRUE(suppresses("race_top:^reset()$", f));
  EXPECT_FALSE(suppresses("race_top:^main$", f));
  EXPECT_FALSE(suppresses("race_top:^balance$", f));
}

TEST(Suppress, ARuleIdSuppressesThatRuleOnly) {
  EXPECT_TRUE(suppresses("lockset:^reset()$", sample::lockset()));
  EXPECT_FALSE(suppresses("lockset:^reset()$", sample::write_write()));
  for (const RuleInfo& rule : kRules) {
    for (const Finding& finding : sample::one_of_each()) {
      EXPECT_EQ(suppresses(std::string(rule.id) + ":*", finding), finding.rule == rule.rule);
    }
  }
}

TEST(Suppress, OtherTypesAreAcceptedWithoutEffect) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add("t.supp", "deadlock:*\ncalled_from_lib:*\n"));
  Report report = sample::usual();
  const Report before = report;
  suppressions.apply(report);
  EXPECT_EQ(report, before);
  EXPECT_EQ(suppressions.without_effect().size(), 2u);
  EXPECT_EQ(suppressions.without_effect()[0], "t.supp:1: deadlock:*");
  EXPECT_THAT(suppressions.unused(), IsEmpty());
}

TEST(Suppress, MisuseHasTypesOfItsOwn) {
  EXPECT_TRUE(suppresses("mutex:^main$", sample::destroy_locked()));
  EXPECT_TRUE(suppresses("mutex:deposit", sample::destroy_locked())) << "the holder";
  EXPECT_FALSE(suppresses("race:*", sample::destroy_locked()));
  EXPECT_FALSE(suppresses("race_top:*", sample::destroy_locked()));
  EXPECT_FALSE(suppresses("mutex:*", sample::live()));
  EXPECT_TRUE(suppresses("thread:^main$", sample::thread_leak())) << "where it was created";
  EXPECT_TRUE(suppresses("signal:on_signal", sample::signal_unsafe()));
  EXPECT_TRUE(suppresses("thread-leak:main", sample::thread_leak()));
}

TEST(Suppress, LiveRunsAlsoHaveModulesAndThreads) {
  EXPECT_TRUE(suppresses("race:libredflag", sample::live_freed()));
  EXPECT_TRUE(suppresses("race:^/home/user/bank$", sample::live()));
  EXPECT_TRUE(suppresses("race:^pthread_create$", sample::live())) << "as ThreadSanitizer does";
}

TEST(Suppress, CommentsBlankLinesAndLineEnds) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add("t", "# race:deposit\n\n   \t\n  race:abc  \r\nrace: spaced\n# x"));
  ASSERT_EQ(suppressions.all().size(), 2u);
  EXPECT_EQ(suppressions.all()[0].text, "race:abc");
  EXPECT_EQ(suppressions.all()[0].line, 4u);
  EXPECT_EQ(suppressions.all()[1].text, "race:spaced");
}

TEST(Suppress, ErrorsSayWhereWhatAndWhatInstead) {
  EXPECT_THAT(error_of("race:ok\nraces:foo\n"), HasSubstr("my.supp:2: "));
  EXPECT_THAT(error_of("races:foo"), HasSubstr("unknown type 'races'"));
  EXPECT_THAT(error_of("races:foo"), HasSubstr("race, race_top, thread"));
  EXPECT_THAT(error_of("races:foo"), HasSubstr("race-write-write"));
  EXPECT_THAT(error_of("foo"), HasSubstr("without a colon"));
  EXPECT_THAT(error_of("race:"), HasSubstr("empty pattern"));
  EXPECT_THAT(error_of("race:  \t"), HasSubstr("empty pattern"));
  EXPECT_THAT(error_of("\x1b[31m:x"), HasSubstr("\\x1b[31m")) << "no escape sequences in messages";
}

TEST(Suppress, CountsHitsAndListsUnused) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add("t", "race:never\nrace:deposit\nrace:*\n"));
  Report report = report_of({sample::write_write(), sample::lockset()});
  report.suppressed = 1;
  suppressions.apply(report);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.suppressed, 1u + 12u + 1u) << "races, not findings";
  EXPECT_EQ(suppressions.all()[1].hits, 12u) << "the first that matches takes it";
  EXPECT_EQ(suppressions.all()[2].hits, 1u);
  EXPECT_THAT(suppressions.unused(), ElementsAre("t:1: race:never"));
}

TEST(Suppress, SeveralFilesAddUp) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add("a", "race:a"));
  ASSERT_TRUE(suppressions.add("b", "race:b"));
  EXPECT_EQ(suppressions.all().size(), 2u);
  EXPECT_FALSE(suppressions.add_file("/no/such/file"));
}

TEST(Suppress, PasteReadyNamesTheProgramsOwnCode) {
  EXPECT_EQ(paste_ready(sample::write_write()), "race_top:^deposit(long)$");
  EXPECT_EQ(paste_ready(sample::read_write()), "race:^deposit(long)$") << "not memcpy";
  EXPECT_EQ(paste_ready(sample::bare()), "race:^0x1000$");
}

TEST(Suppress, PastingSuppressesThisAndNotAnUnrelatedOne) {
  Finding unrelated = sample::write_write();
  unrelated.addr = Addr{0x42};
  unrelated.memory = {};
  unrelated.first.stack = {{"unrelated", "elsewhere.cpp", 1, 1}};
  unrelated.second.stack = {{"innocent", "elsewhere.cpp", 2, 1}};
  std::vector<Finding> all = sample::one_of_each();
  all.push_back(sample::bare());
  const Report live_run = sample::live_run();
  for (const Finding& one : live_run.findings) {
    if (is_race(one.rule)) all.push_back(one);
    EXPECT_TRUE(suppresses(paste_ready(one), one)) << paste_ready(one);
  }
  for (const Report& more : {sample::hostile(), sample::broken_encoding(), sample::large()}) {
    all.insert(all.end(), more.findings.begin(), more.findings.end());
  }
  for (const Finding& finding : all) {
    const std::string line = paste_ready(finding);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(suppresses("# before\n" + line + "\n", finding)) << line;
    EXPECT_FALSE(suppresses(line, unrelated)) << line;
  }
}

}  // namespace
}  // namespace redflag
