#include <cmath>

#include "core/report/json.h"
#include "core/report/json_form.h"
#include "core/report/words.h"

namespace redflag {
namespace {

constexpr std::uint64_t kMostExact = (std::uint64_t{1} << 53) - 1;

Json integer(std::uint64_t value) {
  if (value > kMostExact) return std::to_string(value);
  return value;
}

template <typename Enum, typename Names>
Json enum_name(Enum value, const Names& names) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

Json form(const Frame& frame) {
  return {{"function", frame.function},
          {"file", frame.file},
          {"line", frame.line},
          {"column", frame.column}};
}

Json form(const std::vector<Frame>& stack) {
  Json list = Json::array();
  for (const Frame& frame : stack) list.push_back(form(frame));
  return list;
}

Json form(const Access& access) {
  Json out{{"kind", std::string(name(access.kind))},
           {"order", std::string(name(access.order))},
           {"volatile", access.is_volatile},
           {"address", hex(raw(access.addr))},
           {"size", access.size},
           {"thread", raw(access.thread)},
           {"clock", integer(access.clock)},
           {"source", raw(access.source)}};
  if (access.index != kNoIndex) out["index"] = integer(raw(access.index));
  return out;
}

Json form(const Side& side) {
  Json locks = Json::array();
  for (const HeldLock& lock : side.locks) {
    locks.push_back({{"name", lock.name}, {"shared", lock.shared}});
  }
  return {{"thread_name", side.thread_name},
          {"access", form(side.access)},
          {"locks", std::move(locks)},
          {"stack", form(side.stack)}};
}

Json form(const Region& region) {
  return {{"name", region.name},
          {"kind", enum_name(region.kind, kRegionKindNames)},
          {"address", hex(raw(region.addr))},
          {"size", integer(region.size)},
          {"source", raw(region.source)}};
}

Json form(const Step& step) {
  Json out = Json::object();
  if (step.index != kNoIndex) out["index"] = integer(raw(step.index));
  out["thread"] = raw(step.thread);
  out["role"] = enum_name(step.role, kStepRoleNames);
  out["what"] = step.what;
  if (step.at != Frame{}) out["at"] = form(step.at);
  return out;
}

Json form(const Finding& finding) {
  Json steps = Json::array();
  for (const Step& step : finding.steps) steps.push_back(form(step));
  Json arrows = Json::array();
  for (const Arrow& arrow : finding.arrows) {
    arrows.push_back({{"from", arrow.from}, {"to", arrow.to}});
  }
  return {{"fingerprint", finding.fingerprint},
          {"rule", std::string(info(finding.rule).id)},
          {"baseline", enum_name(finding.baseline, kBaselineNames)},
          {"count", integer(finding.count)},
          {"address", hex(raw(finding.addr))},
          {"size", finding.size},
          {"memory", form(finding.memory)},
          {"memory_stack", form(finding.memory_stack)},
          {"first", form(finding.first)},
          {"second", form(finding.second)},
          {"missing", enum_name(finding.missing, kMissingNames)},
          {"missing_text", finding.missing_text},
          {"advice", finding.advice},
          {"steps", std::move(steps)},
          {"arrows", std::move(arrows)}};
}

Json form(const Counter& counter) {
  const Json value = std::isfinite(counter.value) ? Json(counter.value) : Json(nullptr);
  return {{"name", counter.name}, {"value", value}, {"unit", counter.unit}};
}

}  // namespace

Json to_json_form(const Report& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(form(finding));
  Json stats = Json::array();
  for (const Counter& counter : report.stats) stats.push_back(form(counter));
  return {{"schema", std::string(kReportSchemaName)},
          {"schema_version", kReportSchemaVersion},
          {"tool_version", report.tool_version},
          {"command", report.command},
          {"detector", report.detector},
          {"input", report.input},
          {"events", integer(report.events)},
          {"suppressed", integer(report.suppressed)},
          {"dropped", integer(report.dropped)},
          {"findings", std::move(findings)},
          {"stats", std::move(stats)}};
}

std::string dump(const Json& value, int indent, bool ascii_only) {
  return value.dump(indent, ' ', ascii_only, Json::error_handler_t::replace);
}

std::string write_json(const Report& report, int indent) {
  return dump(to_json_form(report), indent) + "\n";
}

}  // namespace redflag
