#include "core/report/suppress.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/output_file.h"
#include "core/report/clean.h"
#include "core/report/words.h"

namespace redflag {
namespace {

struct TypeInfo {
  std::string_view name;
  SuppressionEffect effect;
  RuleGroup group = RuleGroup::kRace;
};
constexpr std::array<TypeInfo, 7> kTypes{{
    {"race", SuppressionEffect::kRaces},
    {"race_top", SuppressionEffect::kTopFrame},
    {"thread", SuppressionEffect::kGroup, RuleGroup::kThread},
    {"mutex", SuppressionEffect::kGroup, RuleGroup::kLock},
    {"signal", SuppressionEffect::kGroup, RuleGroup::kSignal},
    {"deadlock", SuppressionEffect::kNone},
    {"called_from_lib", SuppressionEffect::kNone},
}};

constexpr std::size_t kMostFileBytes = std::size_t{16} << 20;
constexpr std::size_t kMostShownBytes = 60;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string shown(std::string_view text) {
  const bool cut = text.size() > kMostShownBytes;
  return "'" + printable(text.substr(0, kMostShownBytes)) + (cut ? "..." : "") + "'";
}

struct Type {
  SuppressionEffect effect;
  RuleGroup group = RuleGroup::kRace;
  Rule rule = Rule::kWriteWrite;
};

std::optional<Type> find_type(std::string_view name) {
  for (const TypeInfo& type : kTypes) {
    if (type.name == name) return Type{type.effect, type.group};
  }
  for (const RuleInfo& rule : kRules) {
    if (rule.id == name) return Type{SuppressionEffect::kOneRule, rule.group, rule.rule};
  }
  return std::nullopt;
}

Result<Suppression> parse_line(const std::string& where, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return fail(where + "found " + shown(line) +
                " without a colon; expected type:pattern, for example race:^my_function$");
  }
  const std::string_view type_name = trim(line.substr(0, colon));
  const std::optional<Type> type = find_type(type_name);
  if (!type) {
    return fail(where + "found the unknown type " + shown(type_name) + "; expected one of " +
                suppression_types());
  }
  const std::string_view pattern = trim(line.substr(colon + 1));
  if (pattern.empty()) {
    return fail(where + "found " + shown(line) +
                " with an empty pattern; expected a function, file or variable after the colon, "
                "or '*' for everything");
  }
  return Suppression{.effect = type->effect,
                     .group = type->group,
                     .rule = type->rule,
                     .text = std::string(type_name) + ":" + std::string(pattern),
                     .file = {},
                     .line = 0,
                     .pattern = Pattern(pattern)};
}

bool matches_frame(const Pattern& pattern, const CodeFrame& frame) {
  return pattern.matches(frame.function) || pattern.matches(frame.file) ||
         pattern.matches(frame.module);
}

bool matches_stack(const Pattern& pattern, const Stack& stack) {
  return std::any_of(stack.begin(), stack.end(),
                     [&](const CodeFrame& frame) { return matches_frame(pattern, frame); });
}

std::string memory_name(const Finding& finding) {
  return finding.memory.name.empty() ? hex(raw(finding.addr)) : finding.memory.name;
}

std::string described(const Suppression& suppression) {
  return suppression.file + ":" + std::to_string(suppression.line) + ": " + suppression.text;
}

// The innermost frame with both a function and a file: the program's own code, as far as known.
const CodeFrame* named_frame(const Side& side) {
  for (const CodeFrame& frame : side.stack) {
    if (!frame.function.empty() && !frame.file.empty()) return &frame;
  }
  return nullptr;
}

}  // namespace

bool Suppression::matches(const Finding& finding) const {
  if (!is_about(finding.rule)) return false;
  for (const Side* side : {&finding.first, &finding.second}) {
    if (effect == SuppressionEffect::kTopFrame) {
      if (!side->stack.empty() && matches_frame(pattern, side->stack.front())) return true;
    } else if (matches_stack(pattern, side->stack)) {
      return true;
    }
  }
  if (effect == SuppressionEffect::kTopFrame) return false;
  for (const ThreadOrigin& thread : finding.threads) {
    if (matches_stack(pattern, thread.created)) return true;
  }
  return pattern.matches(memory_name(finding)) || pattern.matches(finding.origin.module);
}

bool Suppression::is_about(Rule found) const {
  switch (effect) {
    case SuppressionEffect::kRaces:
    case SuppressionEffect::kTopFrame:
      return is_race(found);
    case SuppressionEffect::kGroup:
      return info(found).group == group;
    case SuppressionEffect::kOneRule:
      return found == rule;
    case SuppressionEffect::kNone:
      break;
  }
  return false;
}

Result<void> Suppressions::add(const std::string& name, std::string_view text) {
  std::vector<Suppression> parsed;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    Result<Suppression> one = parse_line(name + ":" + std::to_string(number) + ": ", line);
    if (!one) return fail(std::move(one.error().message));
    one->file = name;
    one->line = number;
    parsed.push_back(std::move(*one));
  }
  std::move(parsed.begin(), parsed.end(), std::back_inserter(all_));
  return {};
}

Result<void> Suppressions::add_file(const std::string& path) {
  Result<std::string> text = read_file(path, kMostFileBytes);
  if (!text) return fail(std::move(text.error().message));
  return add(path, *text);
}

bool Suppressions::takes(const Finding& finding) {
  for (Suppression& suppression : all_) {
    if (!suppression.matches(finding)) continue;
    suppression.hits = add_saturating(suppression.hits, std::max<std::uint64_t>(1, finding.count));
    return true;
  }
  return false;
}

void Suppressions::apply(Report& report) {
  std::erase_if(report.findings, [&](const Finding& finding) {
    if (!takes(finding)) return false;
    report.suppressed = add_saturating(report.suppressed, finding.count);
    return true;
  });
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> lines;
  for (const Suppression& suppression : all_) {
    if (suppression.effect != SuppressionEffect::kNone && suppression.hits == 0) {
      lines.push_back(described(suppression));
    }
  }
  return lines;
}

std::vector<std::string> Suppressions::without_effect() const {
  std::vector<std::string> lines;
  for (const Suppression& suppression : all_) {
    if (suppression.effect == SuppressionEffect::kNone) lines.push_back(described(suppression));
  }
  return lines;
}

std::string suppression_types() {
  std::string list;
  for (const TypeInfo& type : kTypes) list += std::string(list.empty() ? "" : ", ") += type.name;
  for (const RuleInfo& rule : kRules) (list += ", ") += rule.id;
  return list;
}

namespace {

// The type that suppresses misuse of this kind: of its group, or of this rule alone.
std::string group_type(Rule rule) {
  for (const TypeInfo& type : kTypes) {
    if (type.effect == SuppressionEffect::kGroup && type.group == info(rule).group) {
      return std::string(type.name) + ":";
    }
  }
  return std::string(info(rule).id) + ":";
}

std::string paste_misuse(const Finding& finding) {
  const std::string type = group_type(finding.rule);
  if (const CodeFrame* frame = named_frame(finding.second)) {
    return type + Pattern::exactly(frame->function);
  }
  // A thread that was never joined is known by who created it.
  for (const ThreadOrigin& thread : finding.threads) {
    if (thread.thread != finding.second.access.thread) continue;
    if (const CodeFrame* frame = own_frame(thread.created);
        frame != nullptr && !frame->function.empty()) {
      return type + Pattern::exactly(frame->function);
    }
  }
  const Frame* top = top_frame(finding.second);
  if (top != nullptr && !top->function.empty()) return type + Pattern::exactly(top->function);
  return type + Pattern::exactly(memory_name(finding));
}

}  // namespace

std::string paste_ready(const Finding& finding) {
  if (!is_race(finding.rule)) return paste_misuse(finding);
  for (const Side* side : {&finding.first, &finding.second}) {
    if (const CodeFrame* frame = named_frame(*side)) {
      const bool is_top = frame == &side->stack.front();
      return (is_top ? "race_top:" : "race:") + Pattern::exactly(frame->function);
    }
  }
  for (const Side* side : {&finding.first, &finding.second}) {
    const Frame* frame = top_frame(*side);
    if (frame == nullptr) continue;
    return "race_top:" + Pattern::exactly(frame->function.empty() ? frame->file : frame->function);
  }
  return "race:" + Pattern::exactly(memory_name(finding));
}

}  // namespace redflag
