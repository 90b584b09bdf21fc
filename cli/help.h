// Help texts, made from the tables of commands and options; shared words with the manual.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"

namespace redflag::cli {

std::string overview();                                 // all commands
std::string group_help(std::string_view group);         // those whose name begins so; may be empty
std::string command_help(const CommandInfo& command);   // one command with its options
std::string usage_line(const CommandInfo& command);     // "redflag replay [options] FILE"
std::string option_sentence(const OptionInfo& option);  // help, repeatable, default; ends with '.'
std::vector<const OptionInfo*> options_of(Command command);

// Breaks at spaces so that no line is longer than `width`, each line indented; ends with a newline.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 80);

}  // namespace redflag::cli
