#include "cli/arguments.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/suggest.h"

namespace redflag::cli {
namespace {

std::vector<std::string> command_names(std::string_view group) {
  std::vector<std::string> names;
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    const std::size_t space = command.name.find(' ');
    std::string name(command.name.substr(0, space));
    if (!group.empty()) {
      if (name != group || space == std::string_view::npos) continue;
      name = command.name.substr(space + 1);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// Names of the command's options; of all options when there is no command.
std::vector<std::string> option_names(const CommandInfo* command) {
  std::vector<std::string> names;
  for (const OptionInfo& option : kOptions) {
    if (command == nullptr || contains(option.commands, command->id)) {
      names.emplace_back(option.name);
    }
  }
  return names;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

const CommandInfo* find_command(std::string_view name) {
  for (const CommandInfo& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

// Whether a key of ours begins here: its name, then '=', a separator or the end.
bool begins_key(std::string_view text) {
  const std::string_view key = text.substr(0, text.find_first_of("=: \t\n\r"));
  return find_option(key) != nullptr || (key.starts_with("no-") && find_option(key.substr(3)));
}

// Splits as a shell would with quotes only: no escapes, no variables. A colon separates too, as in
// TSAN_OPTIONS, but only before a key: file names may have colons.
Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (blank || (c == ':' && begins_key(text.substr(i + 1)))) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0)
    return fail(std::string("REDFLAG_OPTIONS: a quote (") + quote + ") is not closed");
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace

class ArgumentParser {
 public:
  Result<Arguments> parse(std::span<const std::string> words, const char* environment,
                          const char* tsan_options) {
    std::string line = "redflag";
    for (const std::string& word : words) line += " " + shell_quoted(word);
    if (Result<void> done = take_command(words); !done) return Failure(done.error());
    // Whoever mistyped the environment must still be able to ask for help.
    constexpr CommandSet kAlways =
        commands(Command::kHelp, Command::kVersion, Command::kManual, Command::kCompletion);
    if (environment != nullptr && !contains(kAlways, arguments_.command_->id)) {
      if (Result<void> done = take_environment(environment); !done) return Failure(done.error());
    }
    from_environment_ = std::move(arguments_.values_);
    arguments_.values_.clear();
    if (Result<void> done = take_words(words); !done) return Failure(done.error());
    combine(from_environment_);
    if (tsan_options != nullptr) take_tsan_options(tsan_options);
    if (!arguments_.flag("help")) {
      if (Result<void> done = check_operands(); !done) return Failure(done.error());
    }
    arguments_.line_ += line;
    return std::move(arguments_);
  }

 private:
  Failure wrong(const std::string& message) const {
    const std::string about = arguments_.command_ == nullptr
                                  ? std::string("redflag help")
                                  : "redflag help " + std::string(arguments_.command_->name);
    return fail(message + "\nfor the right usage: " + about);
  }

  Result<void> take_command(std::span<const std::string>& words) {
    if (words.empty()) return wrong("expected a command, found none");
    const std::string& first = words.front();
    std::string name = first;
    if (first == "--help" || first == "-h") name = "help";
    if (first == "--version") name = "version";
    if (first == "--man") name = "man";
    words = words.subspan(1);
    arguments_.command_ = find_command(name);
    if (arguments_.command_ != nullptr) {
      // Some are commands by themselves and have others in their group.
      const CommandInfo* inner = words.empty() ? nullptr : find_command(name + " " + words.front());
      if (inner == nullptr) return {};
      arguments_.command_ = inner;
      words = words.subspan(1);
      return {};
    }
    const std::vector<std::string> group = command_names(name);
    if (!group.empty()) {
      if (!words.empty() && (words.front() == "--help" || words.front() == "-h")) {
        arguments_.command_ = &info(Command::kHelp);
        arguments_.operands_ = {name};
        words = words.subspan(1);
        return {};
      }
      if (words.empty()) {
        return wrong("'" + name + "' needs one of: " + listed(group));
      }
      arguments_.command_ = find_command(name + " " + words.front());
      if (arguments_.command_ == nullptr) {
        return wrong("there is no command '" + name + " " + words.front() + "'" +
                     did_you_mean(nearest(words.front(), group)) +
                     "\nexpected one of: " + listed(group));
      }
      words = words.subspan(1);
      return {};
    }
    if (first.starts_with('-')) {
      return wrong("expected a command before '" + first + "'");
    }
    return wrong("there is no command '" + first + "'" +
                 did_you_mean(nearest(first, command_names(""))));
  }

  // One option, from either origin; `shown` is what the user wrote for its name.
  Result<void> take(const std::string& origin, std::string_view shown, const OptionInfo& option,
                    std::string value) {
    if (const std::string fault = value_fault(option, value); !fault.empty()) {
      const std::vector<std::string> close = nearest(value, choices(option));
      return wrong(origin + std::string(shown) + ": found '" + value + "', " + fault +
                   did_you_mean(close));
    }
    std::vector<std::string>& values = arguments_.values_[std::string(option.name)];
    if (!option.repeatable) values.clear();
    values.push_back(std::move(value));
    return {};
  }

  Result<void> take_environment(std::string_view text) {
    const Result<std::vector<std::string>> words = split_words(text);
    if (!words) return wrong(words.error().message);
    for (const std::string& word : *words) {
      const std::size_t equals = word.find('=');
      std::string name = word.substr(0, equals);
      const OptionInfo* option = find_option(name, arguments_.command_->id);
      std::string value = "yes";
      if (option == nullptr && equals == std::string::npos && name.starts_with("no-")) {
        option = find_option(name.substr(3));
        if (option != nullptr && option->kind != ValueKind::kFlag) option = nullptr;
        value = "no";
      }
      if (option == nullptr || option->name == "help") {
        return wrong("REDFLAG_OPTIONS: there is no key '" + name + "'" +
                     did_you_mean(nearest(name, option_names(nullptr))));
      }
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (option->kind != ValueKind::kFlag) {
        return wrong("REDFLAG_OPTIONS: '" + name + "' needs a value: " + name + "=" +
                     std::string(option->argument));
      }
      const bool is_for_us = contains(option->commands, arguments_.command_->id) &&
                             value_fault(*option, value).empty();
      if (!is_for_us && suits_some(option->name, value)) continue;
      if (Result<void> done = take("REDFLAG_OPTIONS: ", name, *option, value); !done) return done;
    }
    arguments_.line_ = "REDFLAG_OPTIONS=" + shell_quoted(text) + " ";
    return {};
  }

  // For what this command does not take: whether another one would.
  static bool suits_some(std::string_view name, std::string_view value) {
    return std::any_of(kOptions.begin(), kOptions.end(), [&](const OptionInfo& option) {
      return option.name == name && value_fault(option, value).empty();
    });
  }

  // An option of the command, by either spelling: what a compiler's own words are told from.
  bool is_ours(std::string_view word) const {
    if (word == "-h") return true;
    if (!word.starts_with("--")) return false;
    std::string_view name = word.substr(2, word.find('=') - 2);
    const Command command = arguments_.command_->id;
    const auto taken = [command](std::string_view one) {
      const OptionInfo* option = find_option(one, command);
      return option != nullptr && contains(option->commands, command);
    };
    return taken(name) || (name.starts_with("no-") && taken(name.substr(3)));
  }

  Result<void> take_words(std::span<const std::string> words) {
    const Style style = arguments_.command_->style;
    bool only_operands = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const bool is_operand = word == "-" || !word.starts_with('-');
      if (style == Style::kProgram && is_operand) only_operands = true;
      if (style == Style::kCompiler && word != "--" && !is_ours(word)) only_operands = true;
      if (only_operands || word == "-" || !word.starts_with('-')) {
        arguments_.operands_.push_back(word);
      } else if (word == "--") {
        only_operands = true;
      } else if (Result<void> done = take_option(words, i); !done) {
        return done;
      }
    }
    return {};
  }

  Result<void> take_option(std::span<const std::string> words, std::size_t& i) {
    const std::string word = words[i] == "-h" ? "--help" : words[i];
    const std::size_t equals = word.find('=');
    const std::string shown = word.substr(0, equals);
    std::string name = shown.starts_with("--") ? shown.substr(2) : std::string();
    const Command id = arguments_.command_->id;
    const OptionInfo* option = find_option(name, id);
    bool negated = false;
    if (option == nullptr && name.starts_with("no-") && equals == std::string::npos) {
      option = find_option(name.substr(3), id);
      negated = option != nullptr && option->kind == ValueKind::kFlag;
      if (!negated) option = nullptr;
    }
    const CommandInfo& command = *arguments_.command_;
    if (option == nullptr) {
      std::vector<std::string> close =
          nearest(shown.substr(std::min<std::size_t>(shown.find_first_not_of('-'), shown.size())),
                  option_names(&command));
      for (std::string& one : close) one = "--" + one;
      return wrong("there is no option '" + shown + "'" + did_you_mean(close));
    }
    if (!contains(option->commands, command.id)) {
      return wrong("'" + std::string(command.name) + "' does not take '" + shown + "'");
    }
    std::string value = negated ? "no" : "yes";
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (option->kind != ValueKind::kFlag) {
      if (i + 1 == words.size()) {
        return wrong("'" + shown + "' needs a value: " + option_usage(*option));
      }
      value = words[++i];
    }
    return take("", shown, *option, value);
  }

  void take_tsan_options(const char* text) {
    constexpr CommandSet kSeeAProgramRun = commands(Command::kRun, Command::kAttend);
    if (!contains(kSeeAProgramRun, arguments_.command_->id)) return;
    TsanRequest request = read_tsan_options(text, "TSAN_OPTIONS");
    combine(request.values);
    arguments_.tsan_ = std::move(request.settings);
    arguments_.complaints_ = std::move(request.complaints);
    arguments_.line_ = "TSAN_OPTIONS=" + shell_quoted(text) + " " + arguments_.line_;
  }

  // Values of lower precedence.
  void combine(const decltype(Arguments::values_)& lower) {
    for (const auto& [name, values] : lower) {
      const OptionInfo& option = *find_option(name, arguments_.command_->id);
      if (!contains(option.commands, arguments_.command_->id)) continue;
      std::vector<std::string>& given = arguments_.values_[name];
      if (option.repeatable || given.empty())
        given.insert(given.begin(), values.begin(), values.end());
    }
  }

  Result<void> check_operands() const {
    const CommandInfo& command = *arguments_.command_;
    const auto count = static_cast<int>(arguments_.operands_.size());
    if (count >= command.least_operands && count <= command.most_operands) return {};
    const std::string name(command.name);
    if (command.most_operands == 0) {
      return wrong("'" + name + "' takes no operand, found '" + arguments_.operands_.front() + "'");
    }
    const std::string expected = "'" + name + "' needs " + std::string(command.operands);
    if (count == 0) return wrong(expected + ", found nothing");
    return wrong(expected + ", found: " + listed(arguments_.operands_));
  }

  Arguments arguments_;
  decltype(Arguments::values_) from_environment_;
};

bool Arguments::is_set(std::string_view option) const {
  return values_.find(option) != values_.end();
}

bool Arguments::flag(std::string_view option) const {
  return to_flag(text(option));
}

std::string Arguments::text(std::string_view option) const {
  const OptionInfo* row = find_option(option, command_->id);
  REDFLAG_CHECK(row != nullptr && !row->repeatable);
  const auto it = values_.find(option);
  return it == values_.end() ? std::string(row->fallback) : it->second.back();
}

std::uint64_t Arguments::number(std::string_view option) const {
  const OptionInfo* row = find_option(option, command_->id);
  REDFLAG_CHECK(row != nullptr);
  return to_number(*row, text(option));
}

std::vector<std::string> Arguments::all(std::string_view option) const {
  const OptionInfo* row = find_option(option, command_->id);
  REDFLAG_CHECK(row != nullptr && row->repeatable);
  const auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

Result<Arguments> parse_arguments(std::span<const std::string> words, const char* environment,
                                  const char* tsan_options) {
  return ArgumentParser().parse(words, environment, tsan_options);
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace redflag::cli
