// Help, manual and completions: everything in the tables must be in each of them.
#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/completion.h"
#include "cli/manual.h"

namespace redflag::cli {
namespace {

using ::testing::HasSubstr;

TEST(Help, EveryCommandNamesAllItsOptions) {
  for (const CommandInfo& command : kCommands) {
    const std::string text = command_help(command);
    EXPECT_THAT(text, HasSubstr(usage_line(command)));
    for (const OptionInfo* option : options_of(command.id)) {
      EXPECT_THAT(text, HasSubstr(option_usage(*option))) << command.name;
    }
    if (!command.hidden) {
      EXPECT_THAT(overview(), HasSubstr(std::string(command.name)));
    }
  }
}

// The column in which a line's second text begins, behind at least two blanks; 0: there is none.
std::size_t second_column(const std::string& line) {
  const std::size_t gap = line.find("  ", 2);
  return gap == std::string::npos ? 0 : line.find_first_not_of(' ', gap);
}

TEST(Help, TheOverviewKeepsItsColumns) {
  for (const std::string& text : {overview(), group_help("detectors"), group_help("trace")}) {
    std::size_t column = 0;
    for (const CommandInfo& command : kCommands) {
      const std::size_t at = text.find("\n  " + std::string(command.name) + "  ");
      if (command.hidden || at == std::string::npos) continue;
      const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
      EXPECT_EQ(line.substr(second_column(line)), command.summary);
      if (column == 0) column = second_column(line);
      EXPECT_EQ(second_column(line), column) << line;
      EXPECT_LE(line.size(), 80U) << line;
    }
    EXPECT_NE(column, 0U) << text;
  }
}

TEST(Help, TheOverviewListsEachCommandOnceByTopic) {
  const std::string text = overview();
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    const std::string line = "\n  " + std::string(command.name) + "  ";
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << command.name;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << command.name;
  }
  // What a user wants first comes first.
  EXPECT_LT(text.find("\n  c++"), text.find("\n  run"));
  EXPECT_LT(text.find("\n  run"), text.find("\n  replay"));
}

TEST(Help, ProseFitsATerminal) {
  for (const CommandInfo& command : kCommands) {
    std::istringstream lines(command_help(command));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 96U) << line;
  }
}

TEST(Help, Groups) {
  EXPECT_THAT(group_help("trace"), HasSubstr("trace convert"));
  EXPECT_EQ(group_help("replay"), "");
  EXPECT_EQ(group_help("nothing"), "");
}

TEST(Help, WrapBreaksAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("", 0, 9), "\n");
  EXPECT_EQ(wrapped("verylongword x", 0, 5), "verylongword\nx\n");
}

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const ShellInfo& shell : kShells) {
    const std::string script = shell.script();
    for (const CommandInfo& command : kCommands) {
      if (command.hidden) continue;
      const std::size_t space = command.name.find(' ');
      const std::string_view word =
          space == std::string_view::npos ? command.name : command.name.substr(space + 1);
      EXPECT_THAT(script, HasSubstr(std::string(word))) << shell.name;
    }
    for (const OptionInfo& option : kOptions) {
      if (is_hidden(option)) continue;
      const std::string dashes = shell.name == "fish" ? "-l " : "--";
      EXPECT_THAT(script, HasSubstr(dashes + std::string(option.name))) << shell.name;
    }
  }
}

TEST(Manual, HasEveryOptionAndNoStrayRequests) {
  const std::string page = manual_page();
  for (const OptionInfo& option : kOptions) {
    if (option.name == "help" || is_hidden(option)) continue;
    std::string name;
    for (const char c : option.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_THAT(page, HasSubstr(name));
  }
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    const std::string request = line.substr(0, line.find(' '));
    EXPECT_THAT(std::string(".TH .SH .SS .PP .TP .B .I .nf .fi .in"), HasSubstr(request));
  }
}

}  // namespace
}  // namespace redflag::cli
