#include "core/report/suppress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/cxx_name.h"
#include "core/report/fold.h"
#include "core/report/own_code.h"
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
  ASSERT_EQ(suppressions.without_effect().size(), 1u);
  EXPECT_EQ(suppressions.without_effect()[0], "t.supp:1: deadlock:*");
  // The runtime in the program acts on these.
  ASSERT_EQ(suppressions.for_calls().size(), 1u);
  EXPECT_EQ(suppressions.for_calls()[0], "t.supp:2: called_from_lib:*");
  EXPECT_EQ(suppressions.lines_for_calls(), "called_from_lib:*\n");
  EXPECT_EQ(suppressions.matched_in_tsan_words(), "");
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

TEST(Suppress, RaceTopGoesThroughLibrariesAndTemplatesToTheProgramsOwnCode) {
  const Finding f = sample::in_library();
  EXPECT_TRUE(suppresses("race_top:^add_name(std::__cxx11::basic_string<", f))
      << "called push_back";
  EXPECT_TRUE(suppresses("race_top:^main$", f)) << "called size()";
  EXPECT_FALSE(suppresses("race_top:lambda", f)) << "called add_name";
  EXPECT_TRUE(suppresses("race_top:_Construct", f)) << "as ThreadSanitizer does";
  EXPECT_FALSE(suppresses("race_top:push_back", f)) << "neither the innermost nor its own";
}

TEST(Suppress, TopTypesOfMisuseLookAtThePlaceOnly) {
  EXPECT_TRUE(suppresses("mutex_top:^main$", sample::destroy_locked()));
  EXPECT_TRUE(suppresses("mutex_top:deposit", sample::destroy_locked())) << "the holder";
  EXPECT_TRUE(suppresses("signal_top:^on_signal(int)$", sample::signal_unsafe()));
  EXPECT_TRUE(suppresses("thread-leak_top:^main$", sample::thread_leak()))
      << "where it was created";
  Finding pool = sample::thread_leak();
  std::vector<CodeFrame>& created = pool.threads[1].created;
  created.insert(created.begin() + 1, CodeFrame{"Pool::start()", "pool.cpp", 12, 3});
  EXPECT_TRUE(suppresses("thread_top:^Pool::start()$", pool));
  EXPECT_FALSE(suppresses("thread_top:^main$", pool)) << "everything is called by main";
  EXPECT_TRUE(suppresses("thread:^main$", pool));
  EXPECT_THAT(error_of("race_top_top:f"), HasSubstr("unknown type"));
  EXPECT_THAT(error_of("deadlock_top:f"), HasSubstr("unknown type"));
}

TEST(Suppress, PasteReadyNamesTheProgramsOwnCode) {
  EXPECT_EQ(paste_ready(sample::write_write()), "race_top:^deposit(long)$");
  EXPECT_EQ(paste_ready(sample::read_write()), "race_top:^deposit(long)$") << "not memcpy";
  EXPECT_EQ(paste_ready(sample::bare()), "race:^0x1000$");
  EXPECT_EQ(paste_ready(sample::thread_leak()), "thread_top:^main$");
  EXPECT_EQ(paste_ready(sample::in_library()),
            "race_top:^add_name(std::__cxx11::basic_string<char, std::char_traits<char>, "
            "std::allocator<char> >)$")
      << "neither the vector's function nor main";
}

TEST(Suppress, PasteReadyAvoidsMainAndTemplatesWhereItCan) {
  Finding f = sample::live();
  f.first.stack = {{"main", "bank.cpp", 30, 1}};
  EXPECT_EQ(paste_ready(f), "race_top:^reset()$") << "the other side says more";
  f.second.stack = {{"void fill<int>(int*)", "bank.cpp", 9, 1}};
  EXPECT_EQ(paste_ready(f), "race_top:^void fill<int>(int\\*)$");
  f.second.stack.push_back({"reset()", "bank.cpp", 21, 11});
  EXPECT_EQ(paste_ready(f), "race_top:^reset()$") << "that called the template";
}

TEST(Suppress, NothingIsSuggestedWhereNothingNamesTheFinding) {
  const std::vector<Finding> hard = sample::hard_to_name();
  EXPECT_EQ(paste_ready(hard[hard.size() - 2]), "race:^balance$") << "stripped: the variable";
  EXPECT_EQ(paste_ready(hard.back()), "") << "its address is another one in the next run";
  for (const Finding& finding : sample::gpu_run().findings) {
    EXPECT_EQ(paste_ready(finding).find("0x"), std::string::npos) << paste_ready(finding);
    if (finding.rule != Rule::kGpuStuck && finding.rule != Rule::kGpuStopped) continue;
    Finding bare = finding;
    bare.second.stack.clear();
    EXPECT_EQ(paste_ready(bare), std::string(info(bare.rule).id) + ":^sum(int const\\*, int\\*)$");
    EXPECT_TRUE(suppresses(paste_ready(bare), bare)) << "by the kernel";
    bare.second.gpu.reset();
    EXPECT_EQ(paste_ready(bare), "");
  }
}

// The functions of the program's own code that a finding is at, as a reader would name them.
std::set<std::string> own_places(const Finding& finding) {
  std::set<std::string> places;
  for (const Side* side : {&finding.first, &finding.second}) {
    if (const CodeFrame* own = own_function(side->stack)) places.insert(own->function);
  }
  for (const ThreadOrigin& thread : finding.threads) {
    if (finding.rule != Rule::kThreadLeak) break;
    if (const CodeFrame* own = own_function(thread.created)) places.insert(own->function);
  }
  return places;
}

// What is suggested for one finding hides it, and of all others only those at a function of that
// name.
TEST(Suppress, ASuggestionHidesOnlyFindingsOfTheSameFunction) {
  std::vector<Finding> all = sample::one_of_each();
  for (const std::vector<Finding>& more :
       {sample::hard_to_name(), sample::live_run().findings, sample::gpu_run().findings,
        sample::large().findings, sample::hostile().findings}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  std::size_t pairs = 0;
  for (const Finding& finding : all) {
    const std::string line = paste_ready(finding);
    if (line.empty()) continue;
    EXPECT_LE(line.size(), kMostPasteLength) << line;
    EXPECT_TRUE(suppresses(line, finding)) << line;
    const std::set<std::string> mine = own_places(finding);
    for (const Finding& other : all) {
      if (&other == &finding || !suppresses(line, other)) continue;
      const std::set<std::string> theirs = own_places(other);
      const auto same_function = [&](const std::string& name) {
        return std::any_of(theirs.begin(), theirs.end(), [&](const std::string& one) {
          return one == name || (line.find("(*$") != std::string::npos &&
                                 qualified_name(one) == qualified_name(name));
        });
      };
      const bool same_memory =
          !finding.memory.name.empty() && finding.memory.name == other.memory.name;
      EXPECT_TRUE(std::any_of(mine.begin(), mine.end(), same_function) ||
                  (mine.empty() && same_memory))
          << line << "\nhides a finding at\n"
          << (theirs.empty() ? "" : *theirs.begin());
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 20U) << "some do share a function";
}

TEST(Suppress, PastingSuppressesThisAndNotAnUnrelatedOne) {
  Finding unrelated = sample::write_write();
  unrelated.addr = Addr{0x42};
  unrelated.memory = {};
  unrelated.first.stack = {{"unrelated", "elsewhere.cpp", 1, 1}};
  unrelated.second.stack = {{"innocent", "elsewhere.cpp", 2, 1}};
  std::vector<Finding> all = sample::one_of_each();
  all.push_back(sample::bare());
  for (const Report& more :
       {sample::live_run(), sample::hostile(), sample::broken_encoding(), sample::large()}) {
    all.insert(all.end(), more.findings.begin(), more.findings.end());
  }
  for (const Finding& finding : all) {
    const std::string line = paste_ready(finding);
    if (line.empty()) continue;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(suppresses("# before\n" + line + "\n", finding)) << line;
    EXPECT_FALSE(suppresses(line, unrelated)) << line;
  }
}

}  // namespace
}  // namespace redflag
