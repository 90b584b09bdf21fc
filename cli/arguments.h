// Arguments: what the user asked for, checked against the tables of commands and options.
//
//   Result<Arguments> asked = parse_arguments(words, std::getenv("REDFLAG_OPTIONS"));
//   asked->number("jobs")
//
// Order of precedence: the table's default, TSAN_OPTIONS for the commands that see a program run
// (tsan_options.h), REDFLAG_OPTIONS, the command line; of several values
// on the command line the last one counts, those of repeatable options add up. REDFLAG_OPTIONS
// holds for all commands: options that the command does not take are passed over, unknown ones are
// errors. Its words are `key=value` or, for flags, `key` and `no-key`, separated by white space or
// by a colon before a key; quotes, single or double, keep white space in a value. Everything is checked here, so that
// commands never meet a malformed value. Pure, but for files that TSAN_OPTIONS includes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tsan_options.h"
#include "core/base/error.h"

namespace redflag::cli {

class Arguments {
 public:
  const CommandInfo& command() const { return *command_; }
  const std::vector<std::string>& operands() const { return operands_; }

  // The name must be in the table, and the kind must be the one asked for.
  bool is_set(std::string_view option) const;  // by the user
  bool flag(std::string_view option) const;
  std::string text(std::string_view option) const;  // files, choices; empty: not given
  std::uint64_t number(std::string_view option) const;
  std::vector<std::string> all(std::string_view option) const;  // repeatable ones

  // The command as a line to paste into a shell, with the variables that were set.
  const std::string& line() const { return line_; }

  const TsanSettings& tsan() const { return tsan_; }
  // One line for each fault of TSAN_OPTIONS.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  friend class ArgumentParser;
  const CommandInfo* command_ = nullptr;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
  std::string line_;
  TsanSettings tsan_;
  std::vector<std::string> complaints_;
};

// `words` without the program's name; the texts of REDFLAG_OPTIONS and TSAN_OPTIONS may be nullptr.
// The message of an error says which command explains the right usage.
Result<Arguments> parse_arguments(std::span<const std::string> words, const char* environment,
                                  const char* tsan_options = nullptr);

// In quotes when the shell would read it otherwise.
std::string shell_quoted(std::string_view word);

}  // namespace redflag::cli
