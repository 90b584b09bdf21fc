#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Arguments> parse(std::vector<std::string> words, const char* environment = nullptr) {
  return parse_arguments(words, environment);
}

std::string fault(std::vector<std::string> words, const char* environment = nullptr) {
  const Result<Arguments> arguments = parse(std::move(words), environment);
  return arguments ? "none" : arguments.error().message;
}

TEST(Arguments, DefaultsComeFromTheTable) {
  const Result<Arguments> a = parse({"replay", "x.rft"});
  ASSERT_TRUE(a);
  EXPECT_EQ(a->command().id, Command::kReplay);
  EXPECT_THAT(a->operands(), ElementsAre("x.rft"));
  EXPECT_EQ(a->text("detector"), "slimfast");
  EXPECT_EQ(a->number("jobs"), 1U);
  EXPECT_TRUE(a->flag("excerpts"));
  EXPECT_FALSE(a->flag("stats"));
  EXPECT_FALSE(a->is_set("json"));
  EXPECT_EQ(a->text("json"), "");
}

TEST(Arguments, BothSpellingsAndTheLastOneCounts) {
  const Result<Arguments> a =
      parse({"replay", "--json=a", "x", "--json", "b", "--stats", "--no-stats", "--no-excerpts",
             "--suppressions=s1", "--suppressions", "s2"});
  ASSERT_TRUE(a);
  EXPECT_EQ(a->text("json"), "b");
  EXPECT_FALSE(a->flag("stats"));
  EXPECT_FALSE(a->flag("excerpts"));
  EXPECT_THAT(a->all("suppressions"), ElementsAre("s1", "s2"));
}

TEST(Arguments, AfterTwoDashesEverythingIsAnOperand) {
  const Result<Arguments> a = parse({"trace", "convert", "--quiet", "--", "--in", "-"});
  ASSERT_TRUE(a);
  EXPECT_EQ(a->command().name, "trace convert");
  EXPECT_THAT(a->operands(), ElementsAre("--in", "-"));
}

TEST(Arguments, TheEnvironmentIsBelowTheCommandLine) {
  const char* environment = "jobs=3  stats detector='fasttrack' source-root=\"a b\" no-excerpts";
  Result<Arguments> a = parse({"replay", "x", "--jobs=2", "--source-root=c"}, environment);
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_EQ(a->number("jobs"), 2U);
  EXPECT_EQ(a->text("detector"), "fasttrack");
  EXPECT_TRUE(a->flag("stats"));
  EXPECT_FALSE(a->flag("excerpts"));
  EXPECT_THAT(a->all("source-root"), ElementsAre("a b", "c"));
  EXPECT_THAT(a->line(), HasSubstr("REDFLAG_OPTIONS='jobs=3"));
  EXPECT_THAT(a->line(), HasSubstr(" redflag replay x --jobs=2"));
  // What another command takes is no error; help works whatever the environment says.
  EXPECT_TRUE(parse({"trace", "info", "x"}, environment));
  EXPECT_TRUE(parse({"help"}, "nonsense"));
  EXPECT_TRUE(parse({"replay", "x"}, " \t\n"));
}

TEST(Arguments, ColonsSeparateBeforeKeysOnly) {
  const char* environment = "format=tsan:json=/a:b.json:no-excerpts:history=2048 stats";
  const Result<Arguments> a = parse({"run", "x"}, environment);
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_EQ(a->text("format"), "tsan");
  EXPECT_EQ(a->text("json"), "/a:b.json");
  EXPECT_FALSE(a->flag("excerpts"));
  EXPECT_EQ(a->number("history"), 2048U);
  EXPECT_TRUE(a->flag("stats"));
  // The same key means another thing to another command, or nothing.
  EXPECT_TRUE(parse({"trace", "convert", "a", "b"}, environment));
  EXPECT_TRUE(parse({"doctor"}, environment));
  EXPECT_THAT(fault({"doctor"}, "format=what"), HasSubstr("expected text or tsan"));
}

TEST(Arguments, AProgramKeepsItsOwnWords) {
  Result<Arguments> a = parse({"run", "--json=r", "prog", "--json=mine", "--", "-x"});
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_EQ(a->text("json"), "r");
  EXPECT_THAT(a->operands(), ElementsAre("prog", "--json=mine", "--", "-x"));
  a = parse({"run", "--quiet", "--", "--odd-name", "--help"});
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_THAT(a->operands(), ElementsAre("--odd-name", "--help"));
  EXPECT_FALSE(a->flag("help"));
  EXPECT_THAT(fault({"run", "--jsn=x", "prog"}), HasSubstr("did you mean '--json'?"));
  EXPECT_THAT(fault({"run", "--quiet"}), HasSubstr("found nothing"));
}

TEST(Arguments, ACompilerKeepsEverythingAfterOurOptions) {
  Result<Arguments> a = parse({"c++", "--compiler=g++", "--shared-runtime", "-O2", "--help", "-c",
                               "--compiler=x", "a.cpp"});
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_EQ(a->text("compiler"), "g++");
  EXPECT_TRUE(a->flag("shared-runtime"));
  EXPECT_THAT(a->operands(), ElementsAre("-O2", "--help", "-c", "--compiler=x", "a.cpp"));
  EXPECT_TRUE(parse({"cc", "--help"})->flag("help"));
  EXPECT_THAT(parse({"cc", "--version"})->operands(), ElementsAre("--version"));
  EXPECT_THAT(parse({"cc", "--", "--help"})->operands(), ElementsAre("--help"));
  EXPECT_THAT(parse({"cc", "-"})->operands(), ElementsAre("-"));
  EXPECT_TRUE(parse({"cc"}));
  EXPECT_THAT(fault({"cc", "--compiler="}), HasSubstr("expected some words"));
}

TEST(Arguments, WrongEnvironmentsAreNamed) {
  EXPECT_THAT(fault({"replay", "x"}, "detecor=x"), HasSubstr("did you mean 'detector'?"));
  EXPECT_THAT(fault({"replay", "x"}, "jobs"), HasSubstr("'jobs' needs a value"));
  EXPECT_THAT(fault({"replay", "x"}, "jobs=many"),
              HasSubstr("REDFLAG_OPTIONS: jobs: found 'many'"));
  EXPECT_THAT(fault({"replay", "x"}, "json='a"), HasSubstr("is not closed"));
  EXPECT_THAT(fault({"replay", "x"}, "help"), HasSubstr("no key 'help'"));
  EXPECT_THAT(fault({"replay", "x"}, "no-jobs"), HasSubstr("no key 'no-jobs'"));
}

TEST(Arguments, MistakesSuggestTheRightWord) {
  EXPECT_THAT(fault({}), HasSubstr("expected a command"));
  EXPECT_THAT(fault({"relpay", "x"}), HasSubstr("did you mean 'replay'?"));
  EXPECT_THAT(fault({"trace"}), HasSubstr("info, convert, generate, check"));
  EXPECT_THAT(fault({"trace", "ifno", "x"}), HasSubstr("did you mean 'info'?"));
  EXPECT_THAT(fault({"--jobs=2", "replay"}), HasSubstr("expected a command before"));
  EXPECT_THAT(fault({"replay", "x", "--detecter=y"}), HasSubstr("did you mean '--detector'?"));
  EXPECT_THAT(fault({"replay", "x", "--detector=slimfst"}), HasSubstr("did you mean 'slimfast'?"));
  EXPECT_THAT(fault({"replay", "x", "-j4"}), HasSubstr("no option '-j4'"));
  EXPECT_THAT(fault({"replay", "x", "---"}), HasSubstr("no option '---'"));
  EXPECT_THAT(fault({"replay", "x", "--no-json"}), HasSubstr("no option '--no-json'"));
  EXPECT_THAT(fault({"replay", "x", "--format=rft"}), HasSubstr("does not take '--format'"));
  EXPECT_THAT(fault({"replay", "x", "--json"}), HasSubstr("needs a value: --json=FILE"));
  EXPECT_THAT(fault({"replay", "x", "--json="}), HasSubstr("expected the name of a file"));
  EXPECT_THAT(fault({"replay"}), HasSubstr("'replay' needs FILE, found nothing"));
  EXPECT_THAT(fault({"replay", "x", "y"}), HasSubstr("found: x, y"));
  EXPECT_THAT(fault({"doctor", "x"}), HasSubstr("takes no operand"));
  EXPECT_THAT(fault({"replay"}), HasSubstr("redflag help replay"));
}

TEST(Arguments, HelpNeedsNoOperands) {
  const Result<Arguments> a = parse({"replay", "--help"});
  ASSERT_TRUE(a);
  EXPECT_TRUE(a->flag("help"));
  EXPECT_TRUE(parse({"replay", "-h"})->flag("help"));
  EXPECT_EQ(parse({"--help"})->command().id, Command::kHelp);
  EXPECT_EQ(parse({"--version"})->command().id, Command::kVersion);
  EXPECT_THAT(parse({"trace", "--help"})->operands(), ElementsAre("trace"));
}

TEST(ShellQuoted, KeepsPlainWordsAndQuotesTheRest) {
  EXPECT_EQ(shell_quoted("a/b-c=1"), "a/b-c=1");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace redflag::cli
