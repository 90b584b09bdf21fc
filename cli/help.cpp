// redflag help, and the text behind --help.
#include "cli/help.h"

#include <algorithm>

#include "cli/console.h"
#include "cli/run.h"
#include "core/base/suggest.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/registry.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kOptionIndent = 6;

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(result.size(), width), ' ');
  return result;
}

std::string list_of(std::string_view group) {
  std::string text;
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    if (!group.empty() && !command.name.starts_with(std::string(group) + " ")) continue;
    text += "  " + padded(command.name, 16) + std::string(command.summary) + "\n";
  }
  return text;
}

std::string status_list() {
  std::string text = "Exit status:\n";
  for (const StatusInfo& status : kStatuses) {
    text +=
        "  " + padded(std::to_string(raw(status.status)), 4) + std::string(status.meaning) + "\n";
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + std::string(indent, ' ') + line + "\n";
}

std::vector<const OptionInfo*> options_of(Command command) {
  std::vector<const OptionInfo*> options;
  for (const OptionInfo& option : kOptions) {
    if (contains(option.commands, command)) options.push_back(&option);
  }
  return options;
}

std::string option_sentence(const OptionInfo& option) {
  std::string text(option.help);
  if (option.repeatable) text += "; may be given several times";
  const bool plain_flag = option.kind == ValueKind::kFlag && option.fallback == "no";
  if (!option.fallback.empty() && !plain_flag) {
    text += " (default: " + std::string(option.fallback) + ")";
  }
  return text + ".";
}

std::string usage_line(const CommandInfo& command) {
  std::string text = "redflag " + std::string(command.name);
  if (options_of(command.id).size() > 1) text += " [options]";
  if (!command.operands.empty()) text += " " + std::string(command.operands);
  return text;
}

std::string overview() {
  return "Redflag finds data races: conflicting accesses that nothing orders.\n\n"
         "Usage: redflag COMMAND [options] ...\n\n"
         "Commands:\n" +
         list_of("") +
         "\n'redflag help COMMAND' explains one of them; 'redflag --version' prints the version.\n"
         "REDFLAG_OPTIONS=\"key=value ...\" in the environment sets options for every "
         "command.\n\n" +
         status_list();
}

std::string group_help(std::string_view group) {
  const std::string commands = list_of(group);
  if (commands.empty()) return {};
  return "Usage: redflag " + std::string(group) + " COMMAND [options] ...\n\n" + commands;
}

std::string command_help(const CommandInfo& command) {
  std::string text = "Usage: " + usage_line(command) + "\n\n" + wrapped(command.description, 0);
  if (command.id == Command::kReplay) {
    text += "\nDetectors:\n";
    for (const DetectorInfo& detector : kDetectors) {
      text += "  " + padded(detector.name, 10) + std::string(detector.summary) + "\n";
    }
    for (const gpu::GpuDetectorInfo& one : gpu::kGpuDetectors) {
      text += "  " + padded(one.name, 10) + std::string(one.summary) + "\n";
    }
  }
  text += "\nOptions:\n";
  for (const OptionInfo* option : options_of(command.id)) {
    text += "  " + option_usage(*option) + "\n" + wrapped(option_sentence(*option), kOptionIndent);
  }
  if (!command.example.empty()) text += "\nExample:\n  " + std::string(command.example) + "\n";
  constexpr CommandSet kFinding = commands(Command::kRun, Command::kReplay, Command::kReport);
  if (contains(kFinding, command.id)) text += "\n" + status_list();
  return text;
}

Status run_help(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  if (words.empty()) return print_and_end(overview());
  const std::string name = words.size() == 1 ? words[0] : words[0] + " " + words[1];
  std::vector<std::string> names;
  for (const CommandInfo& command : kCommands) {
    if (command.name == name) return print_and_end(command_help(command));
    if (!command.hidden) names.emplace_back(command.name);
  }
  if (words.size() == 1) {
    if (const std::string text = group_help(name); !text.empty()) return print_and_end(text);
  }
  return bad_input("there is no command '" + name + "'" + did_you_mean(nearest(name, names)) +
                   "\nall commands: redflag help");
}

}  // namespace redflag::cli
