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

Json form(const Stack& stack) {
  Json list = Json::array();
  for (const CodeFrame& frame : stack) {
    Json one = form(static_cast<const Frame&>(frame));
    if (!frame.module.empty()) one["module"] = frame.module;
    if (frame.offset != 0) one["offset"] = hex(frame.offset);
    if (frame.line_state != LineState::kAsGiven) {
      one["line_state"] = enum_name(frame.line_state, kLineStateNames);
    }
    list.push_back(std::move(one));
  }
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

Json form(const GpuPlace& place) {
  Json out{{"kernel", place.kernel},
           {"launch", place.launch},
           {"block", place.block},
           {"thread", place.thread},
           {"scope", std::string(name(place.scope))}};
  if (place.is_async) out["async"] = true;
  if (!place.launched.empty()) out["launched"] = form(place.launched);
  return out;
}

Json form(const Side& side) {
  Json locks = Json::array();
  for (const HeldLock& lock : side.locks) {
    Json one{{"name", lock.name}, {"shared", lock.shared}};
    if (lock.id != 0) one["id"] = integer(lock.id);
    if (!lock.acquired.empty()) one["acquired"] = form(lock.acquired);
    locks.push_back(std::move(one));
  }
  Json out{{"thread_name", side.thread_name},
           {"access", form(side.access)},
           {"locks", std::move(locks)},
           {"stack", form(side.stack)}};
  if (side.more_locks != 0) out["more_locks"] = side.more_locks;
  if (side.is_vptr) out["vptr"] = true;
  if (side.gpu) out["gpu"] = form(*side.gpu);
  if (side.rma) {
    out["rma"] = {{"rank", side.rma->rank}, {"operation", side.rma->operation}};
    if (side.rma->pending) out["rma"]["pending"] = true;
  }
  return out;
}

// What only live runs know is written only where it is known.
Json form(const ThreadOrigin& thread) {
  Json out{{"thread", raw(thread.thread)},
           {"name", thread.name},
           {"state", enum_name(thread.state, kThreadStateNames)}};
  if (thread.system_id != 0) out["system_id"] = thread.system_id;
  if (thread.is_fiber) out["fiber"] = true;
  if (thread.parent != kUnknownThread) out["parent"] = raw(thread.parent);
  if (!thread.parent_name.empty()) out["parent_name"] = thread.parent_name;
  if (!thread.created.empty()) out["created"] = form(thread.created);
  return out;
}

Json form(const LockOrigin& lock) {
  Json out{{"id", integer(lock.id)}, {"name", lock.name}, {"address", hex(raw(lock.addr))}};
  if (lock.read_write) out["read_write"] = true;
  if (lock.destroyed) out["destroyed"] = true;
  if (!lock.created.empty()) out["created"] = form(lock.created);
  if (!lock.allocated.empty()) out["allocated"] = form(lock.allocated);
  return out;
}

Json form(const MemoryOrigin& origin) {
  Json out = Json::object();
  if (origin.thread != kUnknownThread) out["thread"] = raw(origin.thread);
  if (origin.freed) out["freed"] = true;
  if (origin.freed_by != kUnknownThread) out["freed_by"] = raw(origin.freed_by);
  if (!origin.freed_at.empty()) out["freed_at"] = form(origin.freed_at);
  if (origin.descriptor >= 0) out["descriptor"] = origin.descriptor;
  if (!origin.module.empty()) out["module"] = origin.module;
  if (origin.offset != 0) out["offset"] = hex(origin.offset);
  if (!origin.member.empty()) out["member"] = origin.member;
  return out;
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

Json form(const ModuleOrigin& module) {
  return {{"path", module.path}, {"build_id", module.build_id}};
}

Json form(const Unchecked& one) {
  return {{"kind", enum_name(one.kind, kUncheckedKindNames)},
          {"name", one.name},
          {"count", integer(one.count)}};
}

template <typename T>
Json list_of(const std::vector<T>& all) {
  Json list = Json::array();
  for (const T& one : all) list.push_back(form(one));
  return list;
}

Json form(const Confirmation& confirmation) {
  Json out{{"verdict", enum_name(confirmation.verdict, kVerdictNames)},
           {"runs", confirmation.runs}};
  if (confirmation.run != 0) out["run"] = confirmation.run;
  if (confirmation.weak_order) out["weak_order"] = true;
  if (!confirmation.why.empty()) out["why"] = confirmation.why;
  if (!confirmation.schedule.empty()) out["schedule"] = confirmation.schedule;
  if (confirmation.first) out["first"] = form(*confirmation.first);
  if (confirmation.second) out["second"] = form(*confirmation.second);
  return out;
}

Json form(const Finding& finding) {
  Json arrows = Json::array();
  for (const Arrow& arrow : finding.arrows) {
    arrows.push_back({{"from", arrow.from}, {"to", arrow.to}});
  }
  Json out{{"fingerprint", finding.fingerprint},
           {"rule", std::string(info(finding.rule).id)},
           {"baseline", enum_name(finding.baseline, kBaselineNames)},
           {"count", integer(finding.count)},
           {"address", hex(raw(finding.addr))},
           {"size", finding.size},
           {"memory", form(finding.memory)},
           {"memory_stack", form(finding.memory_stack)}};
  if (finding.has_first) out["first"] = form(finding.first);
  out["second"] = form(finding.second);
  if (!finding.threads.empty()) out["threads"] = list_of(finding.threads);
  if (!finding.locks.empty()) out["locks"] = list_of(finding.locks);
  if (finding.origin != MemoryOrigin{}) out["origin"] = form(finding.origin);
  if (finding.confirmation) out["confirmation"] = form(*finding.confirmation);
  out["missing"] = enum_name(finding.missing, kMissingNames);
  out["missing_text"] = finding.missing_text;
  out["advice"] = finding.advice;
  out["steps"] = list_of(finding.steps);
  out["arrows"] = std::move(arrows);
  return out;
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
  Json out{{"schema", std::string(kReportSchemaName)},
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
  if (!report.modules.empty()) out["modules"] = list_of(report.modules);
  if (!report.unchecked.empty()) out["unchecked"] = list_of(report.unchecked);
  return out;
}

std::string dump(const Json& value, int indent, bool ascii_only) {
  return value.dump(indent, ' ', ascii_only, Json::error_handler_t::replace);
}

std::string write_json(const Report& report, int indent) {
  return dump(to_json_form(report), indent) + "\n";
}

}  // namespace redflag
