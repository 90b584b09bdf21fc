#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/check.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/registry.h"

namespace redflag::cli {
namespace {

constexpr std::array<std::string_view, 4> kYes{"yes", "1", "true", "on"};
constexpr std::array<std::string_view, 4> kNo{"no", "0", "false", "off"};

bool is_one_of(std::string_view word, const std::array<std::string_view, 4>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<std::uint64_t> parse_number(std::string_view text, bool with_unit) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{}) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (!with_unit || unit.empty()) return unit.empty() ? std::optional(value) : std::nullopt;
  if (unit.ends_with("iB")) {
    unit.remove_suffix(2);
  } else if (unit.ends_with('B')) {
    unit.remove_suffix(1);
  }
  constexpr std::string_view kUnits = "KMG";
  if (unit.empty()) return value;
  const std::size_t at = kUnits.find(unit == "k" ? 'K' : unit.front());
  if (unit.size() != 1 || at == std::string_view::npos) return std::nullopt;
  const std::size_t shift = 10 * (at + 1);
  if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return value << shift;
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// Of a strategy: its name, and behind it, from the first digit or point on, the functions' factor.
std::size_t factor_begins(std::string_view strategy) {
  return std::min(strategy.find_first_of("0123456789."), strategy.size());
}

std::string strategy_fault(const OptionInfo& option, std::string_view value) {
  const std::vector<std::string> words = choices(option);
  const std::string_view name = strategy_of(value);
  if (std::find(words.begin(), words.end(), name) == words.end()) {
    return "expected " + list(words) + ", F and H perhaps with a factor, such as HA.5";
  }
  if (name == value) return {};
  if (name.front() != 'F' && name.front() != 'H') {
    return "expected " + std::string(name) + ": only strategies by function have a factor, as HA.5";
  }
  const std::optional<double> factor = to_decimal(factor_of(value));
  return factor && *factor <= 1 ? "" : "expected a factor from 0 to 1, such as HA.5";
}

std::string number_fault(const OptionInfo& option, std::string_view value) {
  const bool with_unit = option.kind == ValueKind::kBytes;
  const std::optional<std::uint64_t> number = parse_number(value, with_unit);
  if (number && *number >= option.least && *number <= option.most) return {};
  std::string expected = with_unit ? "a number of bytes, such as 512K, 16M or 2G" : "a number";
  if (option.least > 0) expected += ", at least " + std::to_string(option.least);
  if (option.most != std::numeric_limits<std::uint64_t>::max()) {
    expected += ", at most " + std::to_string(option.most);
  }
  return "expected " + expected;
}

}  // namespace

const OptionInfo* find_option(std::string_view name) {
  const auto it = std::find_if(kOptions.begin(), kOptions.end(),
                               [name](const OptionInfo& option) { return option.name == name; });
  return it == kOptions.end() ? nullptr : &*it;
}

const OptionInfo* find_option(std::string_view name, Command command) {
  for (const OptionInfo& option : kOptions) {
    if (option.name == name && contains(option.commands, command)) return &option;
  }
  return find_option(name);
}

bool is_hidden(const OptionInfo& option) {
  return std::none_of(kCommands.begin(), kCommands.end(), [&option](const CommandInfo& command) {
    return !command.hidden && contains(option.commands, command.id);
  });
}

std::vector<std::string> choices(const OptionInfo& option) {
  std::vector<std::string> words;
  if (option.kind == ValueKind::kDetector) {
    for (const DetectorInfo& detector : kDetectors) words.emplace_back(detector.name);
    for (const gpu::GpuDetectorInfo& one : gpu::kGpuDetectors) words.emplace_back(one.name);
  } else if (option.kind == ValueKind::kChoice || option.kind == ValueKind::kStrategy) {
    std::string_view rest = option.argument;
    while (!rest.empty()) {
      const std::size_t end = rest.find('|');
      words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
  return words;
}

std::string value_fault(const OptionInfo& option, std::string_view value) {
  switch (option.kind) {
    case ValueKind::kFlag:
      return is_one_of(value, kYes) || is_one_of(value, kNo) ? "" : "expected yes or no";
    case ValueKind::kChoice:
    case ValueKind::kDetector: {
      const std::vector<std::string> words = choices(option);
      if (std::find(words.begin(), words.end(), value) != words.end()) return {};
      return "expected " + list(words);
    }
    case ValueKind::kStrategy:
      return strategy_fault(option, value);
    case ValueKind::kNumber:
    case ValueKind::kBytes:
      return number_fault(option, value);
    case ValueKind::kFile:
      return value.empty() ? "expected the name of a file" : "";
    case ValueKind::kFolder:
      return value.empty() ? "expected the name of a folder" : "";
    case ValueKind::kWords:
      return value.find_first_not_of(" \t") == std::string_view::npos ? "expected some words" : "";
  }
  return {};
}

std::uint64_t to_number(const OptionInfo& option, std::string_view value) {
  const std::optional<std::uint64_t> number = parse_number(value, option.kind == ValueKind::kBytes);
  REDFLAG_CHECK(number.has_value());
  return *number;
}

std::optional<double> to_decimal(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  double value = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || rest != text.data() + text.size()) return {};
  return value;
}

std::string_view strategy_of(std::string_view value) {
  return value.substr(0, factor_begins(value));
}

std::string_view factor_of(std::string_view value) {
  return value.substr(factor_begins(value));
}

bool to_flag(std::string_view value) {
  return is_one_of(value, kYes);
}

std::string option_usage(const OptionInfo& option) {
  const std::string name(option.name);
  if (option.name == "help") return "--help";
  if (option.kind == ValueKind::kFlag) return "--[no-]" + name;
  return "--" + name + "=" + std::string(option.argument);
}

}  // namespace redflag::cli
