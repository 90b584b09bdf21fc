#include "cli/options_page.h"

#include <algorithm>
#include <cctype>

#include "cli/help.h"
#include "cli/status.h"
#include "cli/variables.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/registry.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kWidth = 118;
constexpr std::string_view kPages = "docs/";
constexpr std::string_view kHere = "docs/user/";

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// 'redflag run' in quotes: the text between, where an apostrophe would stand within a word.
std::string_view quoted(std::string_view rest) {
  if (!rest.starts_with('\'')) return {};
  for (std::size_t end = rest.find('\'', 1); end != std::string_view::npos;
       end = rest.find('\'', end + 1)) {
    if (end + 1 == rest.size() || !is_name(rest[end + 1])) return rest.substr(1, end - 1);
  }
  return {};
}

// --option=value, to the end of the word without the sentence's own punctuation.
std::string_view option_word(std::string_view rest) {
  if (!rest.starts_with("--") || rest.size() == 2 || !is_name(rest[2])) return {};
  std::string_view word = rest.substr(0, rest.find(' '));
  while (std::string_view(".,;:)").find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return word;
}

// docs/how/prove.md, and where that is from here.
std::string_view page_word(std::string_view rest) {
  constexpr std::string_view kSuffix = ".md";
  if (!rest.starts_with(kPages)) return {};
  const std::size_t end = rest.find(kSuffix);
  const std::size_t space = rest.find(' ');
  return end == std::string_view::npos || space < end ? std::string_view()
                                                      : rest.substr(0, end + kSuffix.size());
}
std::string link_to(std::string_view page) {
  const std::string from_here = page.starts_with(kHere)
                                    ? std::string(page.substr(kHere.size()))
                                    : "../" + std::string(page.substr(kPages.size()));
  return "[" + std::string(page) + "](" + from_here + ")";
}

std::string escaped(char c, bool at_start) {
  const bool special = std::string_view("\\`*<[]").find(c) != std::string_view::npos;
  return (special || (c == '_' && at_start) ? "\\" : "") + std::string(1, c);
}

std::string item(std::string_view tag, std::string_view text) {
  return "- " + code(tag) + "\n" + wrapped(as_markdown(text), 2, kWidth);
}

std::string section_of(const CommandInfo& command) {
  std::string page = "\n## redflag " + std::string(command.name) + "\n\n    " +
                     usage_line(command) + "\n\n" +
                     wrapped(as_markdown(command.description), 0, kWidth);
  if (!command.example.empty()) {
    page += "\nExample:\n\n    " + std::string(command.example) + "\n";
  }
  std::string options;
  for (const OptionInfo* option : options_of(command.id)) {
    if (option->name != "help") options += item(option_usage(*option), option_sentence(*option));
  }
  return options.empty() ? page : page + "\nOptions:\n\n" + options;
}

}  // namespace

std::string as_markdown(std::string_view text) {
  std::string out;
  bool at_start = true;  // of a word
  while (!text.empty()) {
    std::string made;
    std::size_t taken = 0;
    if (const std::string_view words = at_start ? quoted(text) : ""; !words.empty()) {
      made = code(words);
      taken = words.size() + 2;
    } else if (const std::string_view option = at_start ? option_word(text) : ""; !option.empty()) {
      made = code(option);
      taken = option.size();
    } else if (const std::string_view page = at_start ? page_word(text) : ""; !page.empty()) {
      made = link_to(page);
      taken = page.size();
    } else {
      made = escaped(text.front(), at_start);
      taken = 1;
    }
    at_start = !is_name(text[taken - 1]);
    out += made;
    text.remove_prefix(taken);
  }
  return out;
}

std::string options_page() {
  std::string page =
      "# Commands and options\n\n" +
      wrapped(
          "`redflag man --markdown` prints this page from the tables of commands and options "
          "(`cli/commands.h`, `cli/options.h`). Change the tables, not the page; a test "
          "compares the two.",
          0, kWidth) +
      "\n" +
      wrapped(
          "`redflag help COMMAND` shows the same for one command. Every command also takes "
          "`--help`. Of a flag `--[no-]NAME` the form with `no-` switches it off. The value of an "
          "option follows an "
          "equals sign or is the next word. The wrappers of compilers take their options "
          "first: they hand on everything from the first word that is not one of them.",
          0, kWidth);
  for (const CommandInfo& command : kCommands) {
    if (!command.hidden) page += section_of(command);
  }
  page += "\n## Detectors\n\n";
  for (const DetectorInfo& detector : kDetectors) page += item(detector.name, detector.summary);
  for (const gpu::GpuDetectorInfo& one : gpu::kGpuDetectors) page += item(one.name, one.summary);
  page += "\n## Exit status\n\n";
  for (const StatusInfo& status : kStatuses) {
    page += item(std::to_string(raw(status.status)), std::string(status.meaning) + ".");
  }
  page += "\n## Environment\n\n";
  for (const VariableInfo& variable : kVariables) page += item(variable.name, variable.meaning);
  return page;
}

}  // namespace redflag::cli
