#include "core/report/suppress.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/cxx_name.h"
#include "core/base/output_file.h"
#include "core/report/clean.h"
#include "core/report/own_code.h"
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
    {"called_from_lib", SuppressionEffect::kCalls},
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
  bool top_only = false;
};

constexpr std::string_view kTop = "_top";

std::optional<Type> find_type(std::string_view name) {
  for (const TypeInfo& type : kTypes) {
    if (type.name == name) return Type{type.effect, type.group};
  }
  for (const RuleInfo& rule : kRules) {
    if (rule.id == name) return Type{SuppressionEffect::kOneRule, rule.group, rule.rule};
  }
  if (name.ends_with(kTop)) {
    std::optional<Type> base = find_type(name.substr(0, name.size() - kTop.size()));
    const bool may_be =
        base && !base->top_only &&
        (base->effect == SuppressionEffect::kGroup || base->effect == SuppressionEffect::kOneRule);
    if (may_be) {
      base->top_only = true;
      return base;
    }
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
                     .top_only = type->top_only,
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

// Where it happened: a library's function and the function that called it are one place.
bool matches_top(const Pattern& pattern, const Stack& stack) {
  if (stack.empty()) return false;
  const CodeFrame* own = own_function(stack);
  return matches_frame(pattern, stack.front()) || (own != nullptr && matches_frame(pattern, *own));
}

const ThreadOrigin* leaked_thread(const Finding& finding) {
  if (info(finding.rule).group != RuleGroup::kThread) return nullptr;
  for (const ThreadOrigin& thread : finding.threads) {
    if (thread.thread == finding.second.access.thread) return &thread;
  }
  return nullptr;
}

}  // namespace

bool Suppression::matches(const Finding& finding) const {
  if (!is_about(finding.rule)) return false;
  const auto sides = {&finding.first, &finding.second};
  if (top_only || effect == SuppressionEffect::kTopFrame) {
    // A thread that was never joined happened where it was created.
    const ThreadOrigin* leaked = leaked_thread(finding);
    return (leaked != nullptr && matches_top(pattern, leaked->created)) ||
           std::any_of(sides.begin(), sides.end(),
                       [&](const Side* side) { return matches_top(pattern, side->stack); });
  }
  for (const Side* side : sides) {
    if (matches_stack(pattern, side->stack)) return true;
    if (side->gpu && pattern.matches(side->gpu->kernel)) return true;
  }
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
    case SuppressionEffect::kCalls:
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
    const bool takes_findings = suppression.effect != SuppressionEffect::kNone &&
                                suppression.effect != SuppressionEffect::kCalls;
    if (takes_findings && suppression.hits == 0) lines.push_back(described(suppression));
  }
  return lines;
}

std::vector<std::string> Suppressions::for_calls() const {
  std::vector<std::string> lines;
  for (const Suppression& suppression : all_) {
    if (suppression.effect == SuppressionEffect::kCalls) lines.push_back(described(suppression));
  }
  return lines;
}

std::string Suppressions::lines_for_calls() const {
  std::string lines;
  for (const Suppression& suppression : all_) {
    if (suppression.effect == SuppressionEffect::kCalls) lines += suppression.text + "\n";
  }
  return lines;
}

std::string Suppressions::matched_in_tsan_words() const {
  std::string lines;
  std::uint64_t sum = 0;
  for (const Suppression& suppression : all_) {
    if (suppression.hits == 0) continue;
    sum = add_saturating(sum, suppression.hits);
    lines += std::to_string(suppression.hits) + " " + suppression.text + "\n";
  }
  if (lines.empty()) return {};
  return "ThreadSanitizer: Matched " + std::to_string(sum) + " suppressions:\n" + lines;
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
  return list + "; ids and types of misuse also with _top";
}

namespace {

// The type that suppresses this kind of finding: of races, of its group, or of this rule alone.
std::string_view type_name(Rule rule) {
  if (is_race(rule)) return "race";
  for (const TypeInfo& type : kTypes) {
    if (type.effect == SuppressionEffect::kGroup && type.group == info(rule).group) {
      return type.name;
    }
  }
  return info(rule).id;
}

std::string paste_line(const Finding& finding, std::string_view ending, std::string_view name) {
  const std::string type = std::string(type_name(finding.rule)) + std::string(ending) + ":";
  return type + Pattern::exactly(name, kMostPasteLength - type.size());
}

// Of several functions, the one whose suppression hides least: main and instances of templates are
// everybody's.
int breadth(const CodeFrame& frame) {
  return (frame.function == "main" ? 2 : 0) + (is_template(frame.function) ? 1 : 0);
}

const CodeFrame* telling_function(const Finding& finding) {
  const ThreadOrigin* leaked = leaked_thread(finding);
  const CodeFrame* best = nullptr;
  for (const Stack* stack :
       {is_race(finding.rule) ? &finding.first.stack : nullptr, &finding.second.stack,
        leaked == nullptr ? nullptr : &leaked->created}) {
    const CodeFrame* own = stack == nullptr ? nullptr : own_function(*stack);
    if (own != nullptr && (best == nullptr || breadth(*own) < breadth(*best))) best = own;
  }
  return best;
}

// In the next run of a program its memory lies elsewhere.
bool has_lasting_address(const Finding& finding) {
  const bool is_live = !finding.threads.empty() || finding.second.gpu || finding.second.rma;
  return !is_live && is_race(finding.rule) && raw(finding.addr) != 0;
}

}  // namespace

std::string paste_ready(const Finding& finding) {
  if (const CodeFrame* function = telling_function(finding)) {
    return paste_line(finding, kTop, function->function);
  }
  if (finding.second.gpu && !finding.second.gpu->kernel.empty()) {
    return paste_line(finding, "", finding.second.gpu->kernel);
  }
  if (!finding.memory.name.empty()) return paste_line(finding, "", finding.memory.name);
  return has_lasting_address(finding) ? paste_line(finding, "", memory_name(finding)) : "";
}

}  // namespace redflag
