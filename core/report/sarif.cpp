#include "core/report/sarif.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "core/report/clean.h"
#include "core/report/json_form.h"
#include "core/report/own_code.h"
#include "core/report/words.h"

namespace redflag {
namespace {

constexpr std::string_view kSrcRoot = "%SRCROOT%";
constexpr std::uint64_t kMostInt = std::numeric_limits<std::int32_t>::max();

// In a message, brackets make links and braces placeholders (SARIF 3.11.5, 3.11.6).
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '[' || c == ']' || c == '\\') out += '\\';
    if (c == '{' || c == '}') out += c;
    out += c;
  }
  return out;
}

Json message(std::string_view text) {
  return {{"text", plain(text)}};
}

std::string link(std::string_view text, int id) {
  return "[" + plain(text) + "](" + std::to_string(id) + ")";
}

class SarifWriter {
 public:
  explicit SarifWriter(const Report& report) : report_(report) {}

  Json log() {
    Json results = Json::array();
    for (const Finding& finding : report_.findings) results.push_back(result(finding));
    Json run{{"tool", {{"driver", driver()}}},
             {"invocations", Json::array({invocation()})},
             {"originalUriBaseIds",
              {{std::string(kSrcRoot),
                {{"description", {{"text", "The folder the program was built in."}}}}}}},
             {"artifacts", artifacts_},
             {"results", std::move(results)},
             {"columnKind", "unicodeCodePoints"}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

 private:
  Json driver() const {
    Json rules = Json::array();
    // Reports of CPU programs do not speak of GPUs, nor these of one-sided programs. A rule's place is its
    // number, so those before it are always there.
    const bool gpu = std::any_of(report_.findings.begin(), report_.findings.end(),
                                 [](const Finding& one) { return is_gpu(one.rule); });
    const bool rma = std::any_of(report_.findings.begin(), report_.findings.end(),
                                 [](const Finding& one) { return is_rma(one.rule); });
    for (const RuleInfo& rule : kRules) {
      if ((is_gpu(rule.rule) && !gpu && !rma) || (is_rma(rule.rule) && !rma)) continue;
      rules.push_back(
          {{"id", std::string(rule.id)},
           {"shortDescription", {{"text", std::string(rule.title)}}},
           {"fullDescription", {{"text", std::string(rule.explanation)}}},
           {"help", {{"text", std::string(rule.explanation) + " " + std::string(rule.remedy)}}},
           {"defaultConfiguration", {{"level", std::string(severity(rule.rule))}}}});
    }
    Json driver{{"name", "redflag"}};
    if (!report_.tool_version.empty()) driver["version"] = report_.tool_version;
    driver["rules"] = std::move(rules);
    return driver;
  }

  Json invocation() const {
    Json invocation{{"executionSuccessful", true}};
    if (!report_.command.empty()) invocation["commandLine"] = report_.command;
    if (const std::string left_out = unchecked_text(report_); !left_out.empty()) {
      invocation["toolExecutionNotifications"] =
          Json::array({{{"level", "note"}, {"message", message(left_out)}}});
    }
    return invocation;
  }

  Json artifact_location(const std::string& file) {
    Json location{{"uri", to_uri(file)}};
    if (!file.starts_with('/')) location["uriBaseId"] = std::string(kSrcRoot);
    // Two spellings of one URI (bytes that are not UTF-8) must not become two artifacts.
    const auto [at, is_new] = artifact_index_.try_emplace(dump(location, -1), artifacts_.size());
    if (is_new) artifacts_.push_back({{"location", location}});
    location["index"] = at->second;
    return location;
  }

  Json location(const Frame& frame) {
    Json out = Json::object();
    if (!frame.file.empty()) {
      Json physical{{"artifactLocation", artifact_location(frame.file)}};
      if (frame.line > 0 && frame.line <= kMostInt) {
        physical["region"] = {{"startLine", frame.line}};
        if (frame.column > 0 && frame.column <= kMostInt) {
          physical["region"]["startColumn"] = frame.column;
        }
      }
      out["physicalLocation"] = std::move(physical);
    }
    if (!frame.function.empty()) {
      out["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", printable(frame.function)}, {"kind", "function"}}});
    }
    return out;
  }

  Json related(const Frame* frame, int id, std::string_view text) {
    Json out = frame == nullptr ? Json::object() : location(*frame);
    out["id"] = id;
    out["message"] = message(text);
    return out;
  }

  Json stack(std::string_view text, const Stack& all) {
    Json frames = Json::array();
    for (const CodeFrame& one : all) {
      Json frame{{"location", location(one)}};
      if (!one.module.empty()) frame["module"] = printable(one.module);
      frames.push_back(std::move(frame));
    }
    return {{"message", message(text)}, {"frames", std::move(frames)}};
  }

  static std::vector<const Side*> sides(const Finding& finding) {
    if (!finding.has_first) return {&finding.second};
    return {&finding.first, &finding.second};
  }

  Json flow_step(const Frame& at, std::string_view text, std::size_t order, bool essential) {
    Json where = location(at);
    where["message"] = message(text);
    return {{"location", std::move(where)},
            {"executionOrder", order},
            {"importance", essential ? "essential" : "important"}};
  }

  static std::string thread_name(const Finding& finding, ThreadId thread) {
    for (const Side* side : {&finding.first, &finding.second}) {
      if (side->access.thread == thread) return thread_text(*side);
    }
    return "T" + std::to_string(raw(thread));
  }

  Json code_flow(const Finding& finding) {
    std::vector<std::pair<ThreadId, Json>> threads;  // in order of first appearance
    const auto add = [&](ThreadId thread, Json step) {
      const auto at = std::find_if(threads.begin(), threads.end(),
                                   [&](const auto& one) { return one.first == thread; });
      if (at != threads.end()) return at->second.push_back(std::move(step));
      threads.emplace_back(thread, Json::array({std::move(step)}));
    };
    std::size_t order = 0;
    for (const Step& step : finding.steps) {
      add(step.thread, flow_step(step.at, step.what, ++order, step.role != Step::Role::kSync));
    }
    // Without a picture, the two accesses are the whole flow.
    if (finding.steps.empty()) {
      for (const Side* side : sides(finding)) {
        const Frame* frame = top_frame(*side);
        const std::string what =
            is_race(finding.rule) ? access_text(*side) : side_text(finding, *side);
        add(side->access.thread,
            flow_step(frame == nullptr ? Frame{} : *frame, what, ++order, true));
      }
    }
    Json flows = Json::array();
    // Threads of a GPU have no numbers among the CPU's: each side is a flow of its own.
    if (finding.second.gpu && finding.steps.empty()) {
      for (const Side* side : sides(finding)) {
        const Frame* frame = top_frame(*side);
        Json one = flow_step(frame == nullptr ? Frame{} : *frame, side_text(finding, *side),
                             flows.size() + 1, true);
        flows.push_back({{"id", std::to_string(flows.size() + 1)},
                         {"message", message(thread_text(*side))},
                         {"locations", Json::array({std::move(one)})}});
      }
      return {{"threadFlows", std::move(flows)}};
    }
    for (auto& [thread, steps] : threads) {
      flows.push_back({{"id", std::to_string(raw(thread))},
                       {"message", message(thread_name(finding, thread))},
                       {"locations", std::move(steps)}});
    }
    return {{"threadFlows", std::move(flows)}};
  }

  static const Frame* own_or_top(const Stack& stack) {
    const CodeFrame* own = own_frame(stack);
    return own == nullptr ? &stack.front() : own;
  }

  static std::string who(const Finding& finding) {
    if (!is_race(finding.rule)) return link(side_text(finding, finding.second), 2) + ". ";
    return link(side_text(finding, finding.first), 1) + " and " +
           link(side_text(finding, finding.second), 2) + " are not ordered. ";
  }

  Json result(const Finding& finding) {
    const std::string text =
        plain(headline(finding)) + ": " + who(finding) +
        plain(finding.missing_text.empty() ? info(finding.rule).explanation
                                           : std::string_view(finding.missing_text)) +
        " " +
        plain(finding.advice.empty() ? info(finding.rule).remedy
                                     : std::string_view(finding.advice));
    Json related_locations = Json::array();
    Json stacks = Json::array();
    for (const Side* side : sides(finding)) {
      const std::string what = side_text(finding, *side);
      related_locations.push_back(related(top_frame(*side), side == &finding.first ? 1 : 2, what));
      stacks.push_back(stack(what, side->stack));
    }
    int id = 3;
    if (!finding.memory_stack.empty()) {
      related_locations.push_back(related(own_or_top(finding.memory_stack), id++,
                                          memory_label(finding) + " comes from here"));
    }
    for (const Note& note : notes(finding)) {
      if (note.stack->empty()) continue;
      const std::string what = std::string(note.label) + " " + note.text;
      related_locations.push_back(related(own_or_top(*note.stack), id++, what));
      stacks.push_back(stack(what, *note.stack));
    }
    Json result{{"ruleId", std::string(info(finding.rule).id)},
                {"ruleIndex", static_cast<std::size_t>(finding.rule)},
                {"level", std::string(severity(finding.rule))},
                {"message", {{"text", text}}}};
    // In the user's source: a call of memcpy rather than memcpy.
    const Frame* primary = own_frame(finding.second.stack);
    if (primary == nullptr) primary = own_frame(finding.first.stack);
    if (primary == nullptr) primary = top_frame(finding.second);
    if (primary == nullptr) primary = top_frame(finding.first);
    result["locations"] = Json::array();
    if (primary != nullptr) result["locations"].push_back(location(*primary));
    result["relatedLocations"] = std::move(related_locations);
    result["stacks"] = std::move(stacks);
    result["codeFlows"] = Json::array({code_flow(finding)});
    if (!finding.fingerprint.empty()) {
      result["partialFingerprints"] = {{"redflagRace/v1", finding.fingerprint}};
    }
    if (finding.baseline != BaselineStatus::kNone) {
      const bool is_new = finding.baseline == BaselineStatus::kNew;
      result["baselineState"] = is_new ? "new" : "unchanged";
    }
    result["occurrenceCount"] = std::clamp<std::uint64_t>(finding.count, 1, kMostInt);
    return result;
  }

  const Report& report_;
  Json artifacts_ = Json::array();
  std::map<std::string, std::size_t> artifact_index_;
};

}  // namespace

std::string to_uri(std::string_view path) {
  constexpr std::string_view kKept = "-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  // "//x" would be read as a host name.
  while (path.starts_with("//")) path.remove_prefix(1);
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kKept.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

std::string write_sarif(const Report& report, int indent) {
  return dump(SarifWriter(report).log(), indent) + "\n";
}

}  // namespace redflag
