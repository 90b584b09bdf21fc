#include "core/report/html.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/report/clean.h"
#include "core/report/group.h"
#include "core/report/json_form.h"
#include "core/report/own_code.h"
#include "core/report/suppress.h"
#include "core/report/text.h"
#include "core/report/web_assets.h"
#include "core/report/words.h"

namespace redflag {
namespace {

Json excerpt_form(const Frame& frame, SourceReader* sources) {
  const std::optional<Excerpt> excerpt =
      sources == nullptr ? std::nullopt : sources->excerpt(frame);
  if (!excerpt) return nullptr;
  return {{"first_line", excerpt->first_line},
          {"marked", excerpt->marked},
          {"column", excerpt->column},
          {"lines", excerpt->lines}};
}

Json frame_view(const CodeFrame& frame, bool own, SourceReader* sources) {
  const std::string function = function_text(frame);
  Json out{{"function", function},
           {"file", frame.file},
           {"place", where_text(frame)},
           {"own", own},
           {"excerpt", excerpt_form(frame, sources)}};
  if (!frame.function.empty() && frame.function != function) out["whole"] = frame.function;
  return out;
}

// Runs of library frames are there too, behind a line that opens.
Json stack_view(const Stack& stack, SourceReader* sources) {
  const CodeFrame* own = own_frame(stack);
  Json lines = Json::array();
  for (const FoldedRun& run : folded(stack)) {
    Json frames = Json::array();
    for (std::size_t i = run.begin; i < run.begin + run.count; ++i) {
      frames.push_back(frame_view(stack[i], &stack[i] == own, sources));
    }
    if (run.label.empty()) {
      lines.push_back(std::move(frames[0]));
    } else {
      lines.push_back({{"folded", run.label}, {"frames", std::move(frames)}});
    }
  }
  return lines;
}

// Of misuse only who was there is told: there is no access, and no lock that would have helped.
Json side_view(const Finding& finding, const Side& side, SourceReader* sources) {
  const bool race = is_race(finding.rule);
  const bool first = &side == &finding.first;
  Json locks = Json::array();
  for (const HeldLock& lock : side.locks) locks.push_back(lock_text(lock));
  if (side.more_locks > 0) locks.push_back("and " + with_separators(side.more_locks) + " more");
  const char* title = race ? (first ? "First access" : "Second access")
                           : (first ? "Where the lock was taken" : "Where it happened");
  const char* meeting = first ? "Who reached the barrier" : "Who did not";
  return {{"title", info(finding.rule).group == RuleGroup::kBarrier ? meeting : title},
          {"access", has_access(finding, side) ? access_text(side) : ""},
          {"thread", thread_text(side)},
          {"number", raw(side.access.thread)},
          {"function", race || !side.stack.empty() ? own_function_text(side) : ""},
          {"locks", race && !side.gpu && !side.rma ? std::move(locks) : Json(nullptr)},
          {"no_stack", finding.threads.empty() ? "No stack was recorded for this access."
                                               : "The stack is no longer known."},
          {"stack", stack_view(side.stack, sources)}};
}

// What the viewer shows of a finding, in the words the other forms use: the script lays out, it
// does not phrase.
Json finding_view(const Finding& finding, SourceReader* sources) {
  Json steps = Json::array();
  for (const Step& step : finding.steps) {
    steps.push_back({{"thread", raw(step.thread)},
                     {"role", std::string(kStepRoleNames[static_cast<std::size_t>(step.role)])},
                     {"what", step.what},
                     {"function", step.at.function},
                     {"place", place_text(step.at)}});
  }
  Json arrows = Json::array();
  for (const Arrow& arrow : finding.arrows) {
    if (std::max(arrow.from, arrow.to) >= finding.steps.size()) continue;
    arrows.push_back(Json::array({arrow.from, arrow.to}));
  }
  Json more = Json::array();
  for (const Note& note : notes(finding)) {
    more.push_back({{"label", std::string(note.label)},
                    {"text", note.text},
                    {"stack", stack_view(*note.stack, sources)}});
  }
  const RuleInfo& rule = info(finding.rule);
  return {{"fingerprint", finding.fingerprint},
          {"rule", std::string(rule.id)},
          {"severity", std::string(severity(finding.rule))},
          {"misuse", !is_race(finding.rule)},
          {"baseline", std::string(kBaselineNames[static_cast<std::size_t>(finding.baseline)])},
          {"count", finding.count},
          {"title", std::string(rule.title)},
          {"explanation", std::string(rule.explanation)},
          {"joint", is_race(finding.rule) ? " on " : ": "},
          {"memory", subject(finding)},
          {"memory_whole", finding.memory.name},
          {"memory_text", memory_text(finding)},
          {"memory_stack", stack_view(finding.memory_stack, sources)},
          {"first", finding.has_first ? side_view(finding, finding.first, sources) : nullptr},
          {"second", side_view(finding, finding.second, sources)},
          {"notes", std::move(more)},
          {"missing", finding.missing_text},
          {"advice", finding.advice.empty() ? std::string(rule.remedy) : finding.advice},
          {"suppression", paste_ready(finding)},
          {"steps", std::move(steps)},
          {"arrows", std::move(arrows)}};
}

Json page_form(const Report& report, SourceReader* sources) {
  Json findings = Json::array();
  for (const Cause& cause : by_cause(report.findings)) {
    for (const std::size_t i : cause.findings) {
      findings.push_back(finding_view(report.findings[i], sources));
      findings.back()["group"] = heading(cause);
    }
  }
  Json stats = Json::array();
  for (const Counter& counter : report.stats) {
    stats.push_back({{"name", counter.name}, {"value", counter.value}, {"unit", counter.unit}});
  }
  return {{"summary", summary(report)},
          {"version", report.tool_version},
          {"command", report.command},
          {"detector", report.detector},
          {"input", report.input},
          {"events", report.events},
          {"suppressed", report.suppressed},
          {"dropped", report.dropped},
          {"unchecked", unchecked_text(report)},
          {"stats", std::move(stats)},
          {"findings", std::move(findings)}};
}

// JSON that no HTML parser sees a tag, comment or character reference in.
std::string for_script_element(const Json& value) {
  std::string out;
  for (const char c : dump(value, -1, true)) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string policy() {
  return "default-src 'none'; script-src '" + std::string(kWebScriptHash) + "'; style-src '" +
         std::string(kWebStyleHash) + "'; base-uri 'none'; form-action 'none'";
}

using Values = std::array<std::pair<std::string_view, std::string>, 6>;

// One pass: what is put in is never searched for further places.
std::string fill(std::string_view page, const Values& values) {
  std::string out;
  for (;;) {
    const std::size_t open = page.find("{{");
    out += page.substr(0, open);
    if (open == std::string_view::npos) return out;
    page.remove_prefix(open + 2);
    const std::size_t close = page.find("}}");
    const std::string_view name = page.substr(0, close);
    for (const auto& [key, value] : values) {
      if (key == name) out += value;
    }
    page.remove_prefix(close == std::string_view::npos ? page.size() : close + 2);
  }
}

}  // namespace

std::string write_html(const Report& report, SourceReader* sources) {
  const std::string title = report.input.empty() ? "Redflag" : report.input + " - Redflag";
  return fill(kWebPage,
              {{{"title", escape_markup(title)},
                {"policy", escape_markup(policy())},
                {"style", std::string(kWebStyle)},
                {"script", std::string(kWebScript)},
                {"data", for_script_element(page_form(report, sources))},
                {"text", escape_markup(write_text(report, {.sources = sources}), true)}}});
}

}  // namespace redflag
