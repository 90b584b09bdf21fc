// The table against the tables it repeats names of, and what values each kind takes.
#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/detect/registry.h"
#include "core/generate/workload.h"
#include "core/report/render.h"

namespace redflag::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Options, EveryRowIsSound) {
  std::map<std::string_view, CommandSet> taken;
  for (const OptionInfo& option : kOptions) {
    EXPECT_EQ(taken[option.name] & option.commands, 0U) << option.name << " is there twice";
    taken[option.name] |= option.commands;
    EXPECT_NE(option.commands, 0U) << option.name;
    EXPECT_FALSE(option.help.empty() || option.help.ends_with('.')) << option.name;
    EXPECT_EQ(option.kind == ValueKind::kFlag, option.argument.empty()) << option.name;
    EXPECT_FALSE(option.name.starts_with("no-")) << option.name;
    if (!option.fallback.empty()) {
      EXPECT_EQ(value_fault(option, option.fallback), "") << option.name;
    }
    for (const CommandInfo& command : kCommands) {
      if (contains(option.commands, command.id)) {
        EXPECT_EQ(find_option(option.name, command.id), &option);
      }
    }
  }
}

TEST(Options, OneNameMayMeanTwoThings) {
  EXPECT_THAT(choices(*find_option("format", Command::kRun)), Contains("tsan"));
  EXPECT_THAT(choices(*find_option("format", Command::kTraceConvert)), Contains("rft"));
  EXPECT_TRUE(is_hidden(*find_option("fd")));
  EXPECT_FALSE(is_hidden(*find_option("json")));
}

TEST(Options, CoverTheTablesOfTheCore) {
  EXPECT_EQ(find_option("detector")->fallback, kDefaultDetector);
  for (const OutputFormat& format : kOutputFormats) {
    EXPECT_NE(find_option(format.option), nullptr) << format.option;
  }
  for (const ProfileInfo& profile : kProfiles) {
    EXPECT_THAT(choices(*find_option("profile")), Contains(std::string(profile.name)));
  }
}

TEST(Options, ValuesOfEachKind) {
  const OptionInfo& jobs = *find_option("jobs");
  EXPECT_EQ(value_fault(jobs, "4"), "");
  EXPECT_EQ(to_number(jobs, "4"), 4U);
  for (const char* wrong : {"", "x", "-1", "1.5", "4K", "257", "99999999999999999999", " 1"}) {
    EXPECT_THAT(value_fault(jobs, wrong), HasSubstr("expected a number")) << wrong;
  }
  const OptionInfo& set = *find_option("working-set");
  EXPECT_EQ(to_number(set, "8192"), 8192U);
  EXPECT_EQ(to_number(set, "64K"), 65536U);
  EXPECT_EQ(to_number(set, "64k"), 65536U);
  EXPECT_EQ(to_number(set, "2MiB"), 2U << 20);
  EXPECT_EQ(to_number(set, "1GB"), 1U << 30);
  for (const char* wrong : {"", "1", "K", "1T", "1KK", "99999999999999999G", "8G"}) {
    EXPECT_THAT(value_fault(set, wrong), HasSubstr("bytes")) << wrong;
  }
  EXPECT_EQ(value_fault(*find_option("stats"), "on"), "");
  EXPECT_THAT(value_fault(*find_option("stats"), "maybe"), HasSubstr("yes or no"));
  EXPECT_TRUE(to_flag("1"));
  EXPECT_FALSE(to_flag("off"));
  EXPECT_THAT(value_fault(*find_option("roots"), "none"), HasSubstr("forked or any"));
  EXPECT_THAT(value_fault(*find_option("detector"), "none"), HasSubstr("slimfast"));
  EXPECT_THAT(choices(jobs), IsEmpty());
}

TEST(Options, StrategiesHaveThePapersNames) {
  const OptionInfo& sample = *find_option("sample");
  for (const char* right :
       {"none", "NL", "I", "IA", "F", "FA.25", "H0", "H1", "H.5", "HA.5", "HA0.5"}) {
    EXPECT_EQ(value_fault(sample, right), "") << right;
  }
  for (const char* wrong : {"", "X", "ha", "A.5", "I.9", "NL1", "HA1.5", "HA.5.5", "HA.5x", ".5"}) {
    EXPECT_THAT(value_fault(sample, wrong), HasSubstr("expected")) << wrong;
  }
  EXPECT_EQ(strategy_of("HA.5"), "HA");
  EXPECT_EQ(factor_of("HA.5"), ".5");
  EXPECT_EQ(factor_of("HA"), "");
  EXPECT_THAT(choices(sample), Contains("NL"));
}

TEST(Options, Usage) {
  EXPECT_EQ(option_usage(*find_option("json")), "--json=FILE");
  EXPECT_EQ(option_usage(*find_option("excerpts")), "--[no-]excerpts");
}

}  // namespace
}  // namespace redflag::cli
