// The page of options: everything in the tables is in it, and Markdown reads it as it is meant.
#include "cli/options_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/options.h"

namespace redflag::cli {
namespace {

using ::testing::HasSubstr;

TEST(OptionsPage, HasEveryCommandAndOption) {
  const std::string page = options_page();
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    EXPECT_THAT(page, HasSubstr("\n## redflag " + std::string(command.name) + "\n"));
  }
  for (const OptionInfo& option : kOptions) {
    if (option.name == "help" || is_hidden(option)) continue;
    EXPECT_THAT(page, HasSubstr("- `" + option_usage(option) + "`\n"));
  }
}

TEST(OptionsPage, LinesFitThePage) {
  std::istringstream lines(options_page());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
}

TEST(OptionsPage, QuotedWordsAreCode) {
  EXPECT_EQ(as_markdown("as 'redflag cc', with"), "as `redflag cc`, with");
  EXPECT_EQ(as_markdown("ThreadSanitizer's and the ranks' words"),
            "ThreadSanitizer's and the ranks' words");
  EXPECT_EQ(as_markdown("lines of 'name = value'"), "lines of `name = value`");
  EXPECT_EQ(as_markdown("('redflag run --sample')"), "(`redflag run --sample`)");
}

TEST(OptionsPage, OptionsAndPages) {
  EXPECT_EQ(as_markdown("with --proof: the rest"), "with `--proof`: the rest");
  EXPECT_EQ(as_markdown("--sample=F, H"), "`--sample=F`, H");
  EXPECT_EQ(as_markdown("see docs/user/cuda.md (docs/how/sim.md)."),
            "see [docs/user/cuda.md](cuda.md) ([docs/how/sim.md](../how/sim.md)).");
  EXPECT_EQ(as_markdown("run -- ./app, a -- b"), "run -- ./app, a -- b");
}

TEST(OptionsPage, MarkdownsOwnCharacters) {
  EXPECT_EQ(as_markdown("no __syncwarp(), ptx_model, a*b, <x>"),
            "no \\_\\_syncwarp(), ptx_model, a\\*b, \\<x>");
}

}  // namespace
}  // namespace redflag::cli
