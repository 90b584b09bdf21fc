// TSAN_OPTIONS becomes options of ours, below REDFLAG_OPTIONS and the command line.
#include "cli/tsan_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>

#include "cli/arguments.h"
#include "frontends/cpu/wire/tsan_flags.h"

namespace redflag::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Arguments parse(std::vector<std::string> words, const char* tsan, const char* own = nullptr) {
  Result<Arguments> arguments = parse_arguments(words, own, tsan);
  EXPECT_TRUE(arguments) << arguments.error().message;
  return std::move(*arguments);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> found;
  wire::TsanWords words(text);
  for (wire::TsanWord word; words.next(word);) {
    found.push_back(std::string(word.name) + (word.has_value ? "=" : "") + std::string(word.value));
  }
  return found;
}

TEST(TsanWords, AreSeparatedAsThreadSanitizerDoes) {
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" :,\n"), IsEmpty());
  EXPECT_THAT(words_of("a=1:b=2 c=3,d=4\te\n"), ElementsAre("a=1", "b=2", "c=3", "d=4", "e"));
  EXPECT_THAT(words_of("p='a b:c' q=\"x,y\" r=''"), ElementsAre("p=a b:c", "q=x,y", "r="));
  EXPECT_THAT(words_of("p='never closed"), ElementsAre("p=never closed"));
  EXPECT_THAT(words_of("=x"), ElementsAre("=x"));
}

TEST(TsanOptions, MeanOptionsOfOurs) {
  const Arguments a = parse({"run", "x"},
                            "exitcode=3:halt_on_error=1:history_size=2:report_thread_leaks=0:"
                            "suppressions=s.txt:color=always");
  EXPECT_EQ(a.number("exit-status"), 3U);
  EXPECT_EQ(a.text("on-race"), "abort");
  EXPECT_EQ(a.number("history"), 65536U);
  EXPECT_FALSE(a.flag("thread-leaks"));
  EXPECT_THAT(a.all("suppressions"), ElementsAre("s.txt"));
  EXPECT_EQ(a.text("color"), "always");
  EXPECT_EQ(a.text("format"), "text");
  EXPECT_THAT(a.complaints(), IsEmpty());
  EXPECT_THAT(a.line(), HasSubstr("TSAN_OPTIONS="));
}

TEST(TsanOptions, AreBelowOurOwn) {
  const char* tsan = "exitcode=3 history_size=2 log_path=/tmp/log";
  const Arguments a = parse({"run", "--history=1024", "x"}, tsan, "exit-status=5 format=text");
  EXPECT_EQ(a.number("exit-status"), 5U);
  EXPECT_EQ(a.number("history"), 1024U);
  EXPECT_EQ(a.text("format"), "text");
  EXPECT_EQ(a.text("log-path"), "/tmp/log");
}

TEST(TsanOptions, LogsAreInItsWords) {
  EXPECT_EQ(parse({"run", "x"}, "log_path='/a b/c'").text("format"), "tsan");
  EXPECT_EQ(parse({"run", "x"}, "log_path='/a b/c'").text("log-path"), "/a b/c");
  EXPECT_EQ(parse({"run", "x"}, "log_path=stdout").text("format"), "text");
  EXPECT_EQ(parse({"run", "x"}, "log_path=stdout").text("log-path"), "stdout");
}

TEST(TsanOptions, OnlyCountWhereAProgramRuns) {
  EXPECT_EQ(parse({"replay", "x"}, "color=always:nonsense=1").text("color"), "auto");
  EXPECT_THAT(parse({"replay", "x"}, "nonsense=1").complaints(), IsEmpty());
}

TEST(TsanOptions, FaultsAreNamedOnceAndChangeNothing) {
  const Arguments a = parse({"run", "x"}, "halt_on_eror=1:exitcode=many:history_size=9:verbosity");
  ASSERT_EQ(a.complaints().size(), 4U);
  EXPECT_THAT(a.complaints()[0], HasSubstr("did you mean 'halt_on_error'?"));
  EXPECT_THAT(a.complaints()[1], HasSubstr("'exitcode=many'"));
  EXPECT_THAT(a.complaints()[2], HasSubstr("'history_size=9'"));
  EXPECT_THAT(a.complaints()[3], HasSubstr("'verbosity='"));
  EXPECT_EQ(a.number("exit-status"), 66U);
  EXPECT_EQ(a.text("on-race"), "report");
}

TEST(TsanOptions, SettingsOfWords) {
  const TsanRequest made = read_tsan_options(
      "log_exe_name=1 log_suffix=.txt strip_path_prefix=/src/ print_suppressions=1", "TEST");
  EXPECT_TRUE(made.settings.log_exe_name);
  EXPECT_EQ(made.settings.log_suffix, ".txt");
  EXPECT_EQ(made.settings.strip_path_prefix, "/src/");
  EXPECT_TRUE(made.settings.print_suppressions);
}

TEST(TsanOptions, MoreComeFromFiles) {
  const std::string name = ::testing::TempDir() + "tsan_options_test_include";
  std::FILE* file = std::fopen(name.c_str(), "w");
  ASSERT_NE(file, nullptr);
  (void)std::fputs("exitcode=7\nlog_suffix=.log", file);
  (void)std::fclose(file);
  const TsanRequest made = read_tsan_options("include=" + name + " log_suffix=.txt", "TEST");
  EXPECT_THAT(made.values.at("exit-status"), ElementsAre("7"));
  EXPECT_EQ(made.settings.log_suffix, ".txt");
  EXPECT_THAT(read_tsan_options("include=/nowhere/at/all", "TEST").complaints.size(), 1U);
  EXPECT_THAT(read_tsan_options("include_if_exists=/nowhere/at/all", "TEST").complaints, IsEmpty());
  // A file that includes itself ends somewhere.
  file = std::fopen(name.c_str(), "w");
  ASSERT_NE(file, nullptr);
  (void)std::fputs(("exitcode=8 include=" + name).c_str(), file);
  (void)std::fclose(file);
  EXPECT_THAT(read_tsan_options("include=" + name, "TEST").values.at("exit-status"),
              ElementsAre("8"));
  (void)std::remove(name.c_str());
}

TEST(TsanFlags, AreEachThereOnceWithWords) {
  std::set<std::string_view> names;
  for (const wire::TsanFlag& flag : wire::kTsanFlags) {
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_FALSE(flag.words.empty()) << flag.name;
    EXPECT_THAT(tsan_options_page(), HasSubstr("| `" + std::string(flag.name) + "` |"));
  }
}

TEST(TsanFlags, ThePageKeepsItsWidth) {
  std::istringstream lines(tsan_options_page());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
}

}  // namespace
}  // namespace redflag::cli
