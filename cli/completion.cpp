// redflag completion: what each shell needs to complete commands, options and values.
//
// The scripts hold the tables as data and no list that could age: all of it is printed from
// kCommands and kOptions. They use only what the shells themselves bring.
#include "cli/completion.h"

#include <algorithm>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/run.h"
#include "core/base/suggest.h"

namespace redflag::cli {
namespace {

std::string first_word(std::string_view name) {
  return std::string(name.substr(0, name.find(' ')));
}

std::string second_word(std::string_view name) {
  const std::size_t space = name.find(' ');
  return space == std::string_view::npos ? "" : std::string(name.substr(space + 1));
}

// Distinct first words, in order.
std::vector<std::string> top_words() {
  std::vector<std::string> words;
  for (const CommandInfo& command : kCommands) {
    const std::string word = first_word(command.name);
    if (!command.hidden && std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(word);
    }
  }
  return words;
}

std::vector<std::string> words_of_group(std::string_view group) {
  std::vector<std::string> words;
  for (const CommandInfo& command : kCommands) {
    const std::string second = second_word(command.name);
    if (!second.empty() && first_word(command.name) == group) words.push_back(second);
  }
  return words;
}

std::vector<std::string> groups() {
  std::vector<std::string> found;
  for (const std::string& word : top_words()) {
    if (!words_of_group(word).empty()) found.push_back(word);
  }
  return found;
}

// A group's word that is a command by itself, too.
bool is_command(std::string_view word) {
  return std::any_of(kCommands.begin(), kCommands.end(),
                     [&](const CommandInfo& command) { return command.name == word; });
}

std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// Words that stand for a shell's operands, where they are a fixed set.
std::vector<std::string> operand_words(const CommandInfo& command) {
  if (command.id == Command::kHelp) return top_words();
  if (command.id == Command::kFlags) return {"cc", "c++", "ld", "nvcc"};
  if (command.id != Command::kCompletion) return {};
  std::vector<std::string> names;
  for (const ShellInfo& shell : kShells) names.emplace_back(shell.name);
  return names;
}

std::vector<std::string> spellings(const OptionInfo& option) {
  const std::string name(option.name);
  if (option.kind != ValueKind::kFlag) return {"--" + name + "="};
  if (option.name == "help") return {"--help"};
  return {"--" + name, "--no-" + name};
}

// Inside single quotes of a POSIX shell; zsh's _arguments also reads : and [ ].
std::string quoted_text(std::string_view text, bool for_zsh) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (for_zsh && (c == ':' || c == '[' || c == ']')) {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string options_cases;
  std::string operand_cases;
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    std::vector<std::string> words;
    for (const OptionInfo* option : options_of(command.id)) {
      for (const std::string& spelling : spellings(*option)) words.push_back(spelling);
    }
    options_cases +=
        "    '" + std::string(command.name) + "') options='" + joined(words) + "' ;;\n";
    if (const std::vector<std::string> fixed = operand_words(command); !fixed.empty()) {
      operand_cases +=
          "    '" + std::string(command.name) + "') words='" + joined(fixed) + "' ;;\n";
    }
  }
  std::string value_cases;
  for (const OptionInfo& option : kOptions) {
    // Names that two rows share complete to the words of both.
    if (find_option(option.name) != &option) continue;
    std::vector<std::string> words;
    for (const OptionInfo& same : kOptions) {
      if (same.name != option.name) continue;
      for (const std::string& word : choices(same)) {
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
      }
    }
    if (words.empty()) continue;
    value_cases += "    --" + std::string(option.name) + ") words='" + joined(words) + "' ;;\n";
  }
  std::string group_cases;
  for (const std::string& group : groups()) {
    group_cases += "      " + group + ") COMPREPLY=($(compgen -W '" +
                   joined(words_of_group(group)) + "' -- \"$cur\")); return ;;\n";
  }
  return "# bash completion for redflag, printed by: redflag completion bash\n"
         "_redflag() {\n"
         "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" before='' option='' command='' options=''\n"
         "  local words=''\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD > 0)); then before=\"${COMP_WORDS[COMP_CWORD - 1]}\"; fi\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '" +
         joined(top_words()) +
         " --help --version' -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  command=\"${COMP_WORDS[1]}\"\n"
         "  if ((COMP_CWORD == 2)); then\n"
         "    case \"$command\" in\n" +
         group_cases +
         "      *) ;;\n"
         "    esac\n"
         "  fi\n"
         "  case \"$command\" in " +
         joined(groups(), "|") +
         ") command+=\" ${COMP_WORDS[2]}\" ;; esac\n"
         "  # The equals sign is a word of its own.\n"
         "  if [[ \"$cur\" == '=' ]]; then\n"
         "    option=\"$before\" cur=''\n"
         "  elif [[ \"$before\" == '=' ]]; then\n"
         "    option=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n"
         "  fi\n"
         "  if [[ -n \"$option\" ]]; then\n"
         "    case \"$option\" in\n" +
         value_cases +
         "    esac\n"
         "    if [[ -n \"$words\" ]]; then\n"
         "      COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "    else\n"
         "      COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "    fi\n"
         "    return\n"
         "  fi\n"
         "  case \"$command\" in\n" +
         options_cases +
         "  esac\n"
         "  if [[ \"$cur\" == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "    if [[ \"${COMPREPLY[0]:-}\" == *= ]]; then compopt -o nospace; fi\n"
         "    return\n"
         "  fi\n"
         "  case \"$command\" in\n" +
         operand_cases +
         "  esac\n"
         "  if [[ -n \"$words\" ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _redflag redflag\n";
}

std::string zsh_completion() {
  const auto option_specs = [](const CommandInfo& command) {
    std::string specs;
    for (const OptionInfo* option : options_of(command.id)) {
      const std::string text = quoted_text(option->help, true);
      const std::vector<std::string> words = choices(*option);
      for (const std::string& spelling : spellings(*option)) {
        std::string action;
        if (option->kind != ValueKind::kFlag) {
          action = ":" + std::string(option->name) + ":";
          if (!words.empty()) action += "(" + joined(words) + ")";
          if (option->kind == ValueKind::kFile) action += "_files";
          if (option->kind == ValueKind::kFolder) action += "_files -/";
        }
        const std::string many = option->repeatable ? "*" : "";
        specs += " \\\n        '" + many + spelling + "[" + text + "]" + action + "'";
      }
    }
    const std::vector<std::string> fixed = operand_words(command);
    if (!fixed.empty()) {
      specs += " \\\n        '1:" + std::string("word") + ":(" + joined(fixed) + ")'";
    } else if (command.most_operands > 0) {
      specs += " \\\n        '*:file:_files'";
    }
    return specs;
  };
  const auto described = [](const std::string& group) {
    std::string words;
    for (const CommandInfo& command : kCommands) {
      if (command.hidden) continue;
      const std::string second = second_word(command.name);
      if (group.empty() == second.empty() && (group.empty() || first_word(command.name) == group)) {
        words += " '" + (group.empty() ? std::string(command.name) : second) + ":" +
                 quoted_text(command.summary, true) + "'";
      }
    }
    if (group.empty()) {
      for (const std::string& one : groups()) {
        if (!is_command(one)) words += " '" + one + ":commands about " + one + "s'";
      }
    }
    return words;
  };
  std::string text =
      "#compdef redflag\n"
      "# zsh completion for redflag, printed by: redflag completion zsh\n"
      "_redflag() {\n"
      "  local -a commands\n"
      "  if ((CURRENT == 2)); then\n"
      "    commands=(" +
      described("") +
      ")\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=\"${words[2]}\"\n"
      "  shift words; ((CURRENT--))\n"
      "  case \"$command\" in\n";
  for (const std::string& group : groups()) {
    text += "    " + group +
            ")\n"
            "      if ((CURRENT == 2)); then\n"
            "        commands=(" +
            described(group) +
            ")\n"
            "        _describe command commands\n"
            "        return\n"
            "      fi\n"
            "      command+=\" ${words[2]}\"\n"
            "      shift words; ((CURRENT--)) ;;\n";
  }
  text += "  esac\n  case \"$command\" in\n";
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    text += "    '" + std::string(command.name) + "')\n      _arguments" + option_specs(command) +
            " ;;\n";
  }
  return text + "  esac\n}\n_redflag \"$@\"\n";
}

std::string fish_completion() {
  std::string text =
      "# fish completion for redflag, printed by: redflag completion fish\n"
      "complete -c redflag -f\n";
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    const std::string first = first_word(command.name);
    const std::string second = second_word(command.name);
    const std::string summary = fish_text(command.summary);
    std::string inside = "__fish_seen_subcommand_from " + first;
    if (second.empty()) {
      text +=
          "complete -c redflag -n __fish_use_subcommand -a " + first + " -d '" + summary + "'\n";
    } else {
      text += "complete -c redflag -n '" + inside + "; and not __fish_seen_subcommand_from " +
              joined(words_of_group(first)) + "' -a " + second + " -d '" + summary + "'\n";
      inside += "; and __fish_seen_subcommand_from " + second;
    }
    const std::string condition = "complete -c redflag -n '" + inside + "'";
    for (const OptionInfo* option : options_of(command.id)) {
      const std::string help = " -d '" + fish_text(option->help) + "'\n";
      std::string rest = " -l " + std::string(option->name);
      const std::vector<std::string> words = choices(*option);
      if (!words.empty()) {
        rest += " -x -a '" + joined(words) + "'";
      } else if (option->kind == ValueKind::kFile || option->kind == ValueKind::kFolder) {
        rest += " -r -F";
      } else if (option->kind != ValueKind::kFlag) {
        rest += " -x";
      }
      text += condition + rest + help;
      if (option->kind == ValueKind::kFlag && option->name != "help") {
        text += condition + " -l no-" + std::string(option->name) + "\n";
      }
    }
    const std::vector<std::string> fixed = operand_words(command);
    if (!fixed.empty()) {
      text += condition + " -a '" + joined(fixed) + "'\n";
    } else if (command.most_operands > 0) {
      text += condition + " -F\n";
    }
  }
  for (const std::string& group : groups()) {
    if (is_command(group)) continue;  // above, with its summary
    text += "complete -c redflag -n __fish_use_subcommand -a " + group + "\n";
  }
  return text;
}

Status run_completion(const Arguments& arguments) {
  const std::string& wanted = arguments.operands().front();
  std::vector<std::string> names;
  for (const ShellInfo& shell : kShells) {
    if (shell.name == wanted) return print_and_end(shell.script());
    names.emplace_back(shell.name);
  }
  return bad_input("there is no completion for '" + wanted + "'" +
                   did_you_mean(nearest(wanted, names)) +
                   "\nexpected one of: " + joined(names, ", "));
}

}  // namespace redflag::cli
