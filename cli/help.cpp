// redflag help, and the text behind --help.
#include "cli/help.h"

#include <algorithm>
#include <array>

#include "cli/console.h"
#include "cli/run.h"
#include "cli/tsan_options.h"
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

// The commands by what a user wants, as the overview lists them.
struct Topic {
  std::string_view title;
  CommandSet commands;
};
constexpr std::array kTopics{
    Topic{"Build a program for checking",
          commands(Command::kCc, Command::kCxx, Command::kFortran, Command::kNvcc, Command::kMpicc,
                   Command::kMpicxx, Command::kMpifort, Command::kOshcc, Command::kFlags)},
    Topic{"Find races, and look at them",
          commands(Command::kRun, Command::kConfirm, Command::kReport)},
    Topic{"Work with recorded traces",
          commands(Command::kReplay, Command::kTraceInfo, Command::kTraceConvert,
                   Command::kTraceGenerate, Command::kTraceCheck)},
    Topic{"Look into GPU code, compare detectors",
          commands(Command::kPtx, Command::kDetectors, Command::kDetectorsCompare)},
    Topic{"Simulate race detection in hardware",
          commands(Command::kSimParsnip, Command::kSimScord)},
    Topic{"Help, and this installation",
          commands(Command::kDoctor, Command::kCompletion, Command::kHelp)},
};

consteval bool each_command_has_one_topic() {
  for (const CommandInfo& command : kCommands) {
    int topics = 0;
    for (const Topic& topic : kTopics) topics += contains(topic.commands, command.id) ? 1 : 0;
    if (topics != (command.hidden ? 0 : 1)) return false;
  }
  return true;
}
static_assert(each_command_has_one_topic());

// One line for each that `wanted` accepts, the summaries in a column.
template <typename Wanted>
std::string list_of(Wanted wanted) {
  std::size_t width = 0;
  for (const CommandInfo& command : kCommands) {
    if (!command.hidden) width = std::max(width, command.name.size());
  }
  std::string text;
  for (const CommandInfo& command : kCommands) {
    if (command.hidden || !wanted(command)) continue;
    text += "  " + padded(command.name, width + 2) + std::string(command.summary) + "\n";
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
  std::string lists;
  for (const Topic& topic : kTopics) {
    const auto is_in = [&topic](const CommandInfo& command) {
      return contains(topic.commands, command.id);
    };
    lists += std::string(topic.title) + ":\n" + list_of(is_in) + "\n";
  }
  return "Redflag finds data races: conflicting accesses that nothing orders.\n\n"
         "Usage: redflag COMMAND [options] ...\n\n" +
         lists +
         "'redflag help COMMAND' explains one of them; 'redflag --version' prints the version.\n"
         "REDFLAG_OPTIONS=\"key=value ...\" in the environment sets options for every "
         "command.\nFor programs that run, TSAN_OPTIONS is read, too: 'redflag help tsan-options' "
         "lists its flags.\n\n" +
         status_list();
}

std::string group_help(std::string_view group) {
  const std::string commands = list_of([group](const CommandInfo& command) {
    return command.name.starts_with(std::string(group) + " ");
  });
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
  if (name == "tsan-options") return print_and_end(tsan_options_page());
  if (words.size() == 1) {
    if (const std::string text = group_help(name); !text.empty()) return print_and_end(text);
  }
  return bad_input("there is no command '" + name + "'" + did_you_mean(nearest(name, names)) +
                   "\nall commands: redflag help");
}

}  // namespace redflag::cli
