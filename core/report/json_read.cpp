#include <algorithm>
#include <array>

#include "core/report/clean.h"
#include "core/report/json.h"
#include "core/report/json_cursor.h"
#include "core/report/words.h"

namespace redflag {
namespace {

// Names of a table whose rows are in the order of an enum.
template <typename Table, typename Member>
constexpr auto column(const Table& table, Member member) {
  std::array<std::string_view, std::tuple_size_v<Table>> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = table[i].*member;
  return names;
}
constexpr auto kKindNames = column(kEventKinds, &EventKindInfo::name);
constexpr auto kRuleIds = column(kRules, &RuleInfo::id);

template <typename Enum>
Enum read_enum(const JsonCursor& at, std::span<const std::string_view> names) {
  return static_cast<Enum>(at.one_of(names));
}

EventIndex read_index(const JsonCursor& at) {
  return at.has("index") ? EventIndex{at["index"].integer()} : kNoIndex;
}

Frame read_place(const JsonCursor& at) {
  return {.function = at["function"].text(),
          .file = at["file"].text(),
          .line = at["line"].small_integer(),
          .column = at["column"].small_integer()};
}

Frame read_frame(const JsonCursor& at) {
  at.expect_keys({"function", "file", "line", "column"});
  return read_place(at);
}

Stack read_stack(const JsonCursor& at) {
  Stack stack;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const JsonCursor one = at[i];
    one.expect_keys({"function", "file", "line", "column"}, {"module", "offset", "line_state"});
    CodeFrame frame = read_place(one);
    if (one.has("module")) frame.module = one["module"].text();
    if (one.has("offset")) frame.offset = one["offset"].address();
    if (one.has("line_state")) {
      frame.line_state = read_enum<LineState>(one["line_state"], kLineStateNames);
    }
    stack.push_back(std::move(frame));
  }
  return stack;
}

Stack read_stack_if(const JsonCursor& at, std::string_view key) {
  return at.has(key) ? read_stack(at[key]) : Stack{};
}

bool flag_if(const JsonCursor& at, std::string_view key) {
  return at.has(key) && at[key].boolean();
}

ThreadId thread_if(const JsonCursor& at, std::string_view key) {
  return at.has(key) ? ThreadId{at[key].small_integer()} : kUnknownThread;
}

Access read_access(const JsonCursor& at) {
  at.expect_keys({"kind", "order", "volatile", "address", "size", "thread", "clock", "source"},
                 {"index"});
  Access access;
  access.kind = read_enum<EventKind>(at["kind"], kKindNames);
  access.order = read_enum<Order>(at["order"], kOrderNames);
  access.is_volatile = at["volatile"].boolean();
  access.addr = Addr{at["address"].address()};
  access.size = at["size"].small_integer();
  access.thread = ThreadId{at["thread"].small_integer()};
  access.clock = at["clock"].integer();
  access.source = SourceId{at["source"].small_integer()};
  access.index = read_index(at);
  if (!is_access(access.kind)) at["kind"].wrong("the kind of a memory access");
  return access;
}

std::array<std::uint32_t, 3> read_coordinates(const JsonCursor& at) {
  std::array<std::uint32_t, 3> out{};
  if (at.size() != out.size()) {
    at.wrong("three numbers: x, y, z");
    return out;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = at[i].small_integer();
  return out;
}

GpuPlace read_place_on_gpu(const JsonCursor& at) {
  at.expect_keys({"kernel", "launch", "block", "thread", "scope"}, {"async", "launched"});
  return {.kernel = at["kernel"].text(),
          .launch = at["launch"].small_integer(),
          .block = read_coordinates(at["block"]),
          .thread = read_coordinates(at["thread"]),
          .scope = read_enum<Scope>(at["scope"], kScopeNames),
          .is_async = flag_if(at, "async"),
          .launched = read_stack_if(at, "launched")};
}

Side read_side(const JsonCursor& at) {
  at.expect_keys({"thread_name", "access", "locks", "stack"}, {"more_locks", "vptr", "gpu", "rma"});
  Side side;
  side.thread_name = at["thread_name"].text();
  if (side.thread_name.empty()) at["thread_name"].wrong("a name, for example \"T3\"");
  side.access = read_access(at["access"]);
  const JsonCursor locks = at["locks"];
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const JsonCursor lock = locks[i];
    lock.expect_keys({"name", "shared"}, {"id", "acquired"});
    side.locks.push_back({.name = lock["name"].text(),
                          .shared = lock["shared"].boolean(),
                          .id = lock.has("id") ? lock["id"].integer() : 0,
                          .acquired = read_stack_if(lock, "acquired")});
  }
  side.stack = read_stack(at["stack"]);
  if (at.has("more_locks")) side.more_locks = at["more_locks"].small_integer();
  side.is_vptr = flag_if(at, "vptr");
  if (at.has("gpu")) side.gpu = read_place_on_gpu(at["gpu"]);
  if (at.has("rma")) {
    const JsonCursor rma = at["rma"];
    rma.expect_keys({"rank", "operation"}, {"pending"});
    side.rma = RankPlace{.rank = rma["rank"].small_integer(),
                         .operation = rma["operation"].text(),
                         .pending = flag_if(rma, "pending")};
  }
  return side;
}

ThreadOrigin read_thread(const JsonCursor& at) {
  at.expect_keys({"thread", "name", "state"},
                 {"system_id", "fiber", "parent", "parent_name", "created"});
  ThreadOrigin thread;
  thread.thread = ThreadId{at["thread"].small_integer()};
  thread.name = at["name"].text();
  thread.state = read_enum<ThreadOrigin::State>(at["state"], kThreadStateNames);
  if (at.has("system_id")) thread.system_id = at["system_id"].small_integer();
  thread.is_fiber = flag_if(at, "fiber");
  thread.parent = thread_if(at, "parent");
  if (at.has("parent_name")) thread.parent_name = at["parent_name"].text();
  thread.created = read_stack_if(at, "created");
  return thread;
}

LockOrigin read_lock(const JsonCursor& at) {
  at.expect_keys({"id", "name", "address"}, {"read_write", "destroyed", "created", "allocated"});
  return {.id = at["id"].integer(),
          .name = at["name"].text(),
          .addr = Addr{at["address"].address()},
          .read_write = flag_if(at, "read_write"),
          .destroyed = flag_if(at, "destroyed"),
          .created = read_stack_if(at, "created"),
          .allocated = read_stack_if(at, "allocated")};
}

MemoryOrigin read_origin(const JsonCursor& at) {
  at.expect_keys(
      {}, {"thread", "freed", "freed_by", "freed_at", "descriptor", "module", "offset", "member"});
  MemoryOrigin origin;
  origin.thread = thread_if(at, "thread");
  origin.freed = flag_if(at, "freed");
  origin.freed_by = thread_if(at, "freed_by");
  origin.freed_at = read_stack_if(at, "freed_at");
  if (at.has("descriptor")) {
    origin.descriptor = static_cast<std::int32_t>(at["descriptor"].integer(0x7FFFFFFFu));
  }
  if (at.has("module")) origin.module = at["module"].text();
  if (at.has("offset")) origin.offset = at["offset"].address();
  if (at.has("member")) origin.member = at["member"].text();
  return origin;
}

Region read_region(const JsonCursor& at) {
  at.expect_keys({"name", "kind", "address", "size", "source"});
  return {.addr = Addr{at["address"].address()},
          .size = at["size"].integer(),
          .kind = read_enum<RegionKind>(at["kind"], kRegionKindNames),
          .name = at["name"].text(),
          .source = SourceId{at["source"].small_integer()}};
}

Step read_step(const JsonCursor& at) {
  at.expect_keys({"thread", "role", "what"}, {"index", "at"});
  Step step;
  step.index = read_index(at);
  step.thread = ThreadId{at["thread"].small_integer()};
  step.role = read_enum<Step::Role>(at["role"], kStepRoleNames);
  step.what = at["what"].text();
  if (at.has("at")) step.at = read_frame(at["at"]);
  return step;
}

std::vector<Arrow> read_arrows(const JsonCursor& at, std::size_t steps) {
  std::vector<Arrow> arrows;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const JsonCursor one = at[i];
    one.expect_keys({"from", "to"});
    arrows.push_back({one["from"].small_integer(), one["to"].small_integer()});
    for (const char* end : {"from", "to"}) {
      const JsonCursor step = one[std::string_view(end)];
      if (step.small_integer() >= steps) {
        step.wrong("the position of one of the " + std::to_string(steps) + " steps");
      }
    }
  }
  return arrows;
}

Confirmation read_confirmation(const JsonCursor& at) {
  at.expect_keys({"verdict", "runs"}, {"run", "weak_order", "why", "schedule", "first", "second"});
  Confirmation out;
  out.verdict = read_enum<Verdict>(at["verdict"], kVerdictNames);
  out.runs = at["runs"].small_integer();
  if (at.has("run")) out.run = at["run"].small_integer();
  out.weak_order = flag_if(at, "weak_order");
  if (at.has("why")) out.why = at["why"].text();
  if (at.has("schedule")) out.schedule = at["schedule"].text();
  if (at.has("first")) out.first = read_side(at["first"]);
  if (at.has("second")) out.second = read_side(at["second"]);
  return out;
}

Finding read_finding(const JsonCursor& at) {
  at.expect_keys({"fingerprint", "rule", "baseline", "count", "address", "size", "memory",
                  "memory_stack", "second", "missing", "missing_text", "advice", "steps", "arrows"},
                 {"first", "threads", "locks", "origin", "confirmation"});
  Finding finding;
  finding.fingerprint = at["fingerprint"].text();
  finding.rule = read_enum<Rule>(at["rule"], kRuleIds);
  finding.baseline = read_enum<BaselineStatus>(at["baseline"], kBaselineNames);
  finding.count = at["count"].integer();
  finding.addr = Addr{at["address"].address()};
  finding.size = at["size"].small_integer();
  finding.memory = read_region(at["memory"]);
  finding.memory_stack = read_stack(at["memory_stack"]);
  finding.has_first = at.has("first");
  if (finding.has_first || is_race(finding.rule)) finding.first = read_side(at["first"]);
  finding.second = read_side(at["second"]);
  if (at.has("threads")) {
    const JsonCursor threads = at["threads"];
    for (std::size_t i = 0; i < threads.size(); ++i) {
      finding.threads.push_back(read_thread(threads[i]));
    }
  }
  if (at.has("locks")) {
    const JsonCursor locks = at["locks"];
    for (std::size_t i = 0; i < locks.size(); ++i) finding.locks.push_back(read_lock(locks[i]));
  }
  if (at.has("origin")) finding.origin = read_origin(at["origin"]);
  if (at.has("confirmation")) finding.confirmation = read_confirmation(at["confirmation"]);
  finding.missing = read_enum<Missing>(at["missing"], kMissingNames);
  finding.missing_text = at["missing_text"].text();
  finding.advice = at["advice"].text();
  const JsonCursor steps = at["steps"];
  for (std::size_t i = 0; i < steps.size(); ++i) finding.steps.push_back(read_step(steps[i]));
  finding.arrows = read_arrows(at["arrows"], finding.steps.size());
  return finding;
}

// Asked before the keys, so that a newer report is called newer and not misspelt.
void check_version(const JsonCursor& top) {
  if (!top.has("schema") || !top.has("schema_version")) {
    return top.wrong("a redflag report (an object with \"schema\" and \"schema_version\")");
  }
  const std::array<std::string_view, 1> schema{kReportSchemaName};
  top["schema"].one_of(schema);
  const JsonCursor version = top["schema_version"];
  const std::uint64_t found = version.integer();
  if (found < kOldestReportVersion || found > kReportSchemaVersion) {
    version.wrong(std::to_string(kReportSchemaVersion) +
                  " (convert the report with the redflag that wrote it, or record it again)");
  }
}

Report read_top(const JsonCursor& top) {
  check_version(top);
  top.expect_keys({"schema", "schema_version", "tool_version", "command", "detector", "input",
                   "events", "suppressed", "dropped", "findings", "stats"},
                  {"modules", "unchecked"});
  Report report;
  report.tool_version = top["tool_version"].text();
  report.command = top["command"].text();
  report.detector = top["detector"].text();
  report.input = top["input"].text();
  report.events = top["events"].integer();
  report.suppressed = top["suppressed"].integer();
  report.dropped = top["dropped"].integer();
  const JsonCursor findings = top["findings"];
  for (std::size_t i = 0; i < findings.size(); ++i) {
    report.findings.push_back(read_finding(findings[i]));
  }
  if (top.has("modules")) {
    const JsonCursor modules = top["modules"];
    for (std::size_t i = 0; i < modules.size(); ++i) {
      const JsonCursor one = modules[i];
      one.expect_keys({"path", "build_id"});
      report.modules.push_back({one["path"].text(), one["build_id"].text()});
    }
  }
  if (top.has("unchecked")) {
    const JsonCursor unchecked = top["unchecked"];
    for (std::size_t i = 0; i < unchecked.size(); ++i) {
      const JsonCursor one = unchecked[i];
      one.expect_keys({"kind", "name", "count"});
      report.unchecked.push_back({read_enum<Unchecked::Kind>(one["kind"], kUncheckedKindNames),
                                  one["name"].text(), one["count"].integer()});
    }
  }
  const JsonCursor stats = top["stats"];
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const JsonCursor one = stats[i];
    one.expect_keys({"name", "value", "unit"});
    report.stats.push_back({one["name"].text(), one["value"].number_or_nan(), one["unit"].text()});
  }
  return report;
}

// "name:line:column: what", from the byte at which the parser stopped.
std::string syntax_message(const std::string& name, std::string_view text,
                           const Json::parse_error& error) {
  const std::size_t stop = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
  const std::string_view before = text.substr(0, stop);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = begin == std::string_view::npos ? stop + 1 : stop - begin;
  std::string what = error.what();
  // The library's message repeats the place in words of its own in front of what it found.
  if (const std::size_t at = what.find(": "); at != std::string::npos) what = what.substr(at + 2);
  return name + ":" + std::to_string(line) + ":" + std::to_string(column) +
         ": not valid JSON: " + printable(what) + "; expected a report written by redflag";
}

}  // namespace

Result<Report> read_json(const std::string& name, std::string_view text) {
  Json value;
  try {
    value = Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    return fail(syntax_message(name, text, error));
  } catch (const Json::exception& error) {
    return fail(name + ": not a JSON document this program can read: " + printable(error.what()));
  }
  JsonTrouble trouble;
  Report report = read_top(JsonCursor(value, trouble));
  if (!trouble.message.empty()) return fail(name + ": " + trouble.message);
  return report;
}

}  // namespace redflag
