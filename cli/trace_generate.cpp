// redflag trace generate: long synthetic traces of a chosen character.
//
// The two workload profiles come from core/generate/workload.h as they are. `random` strings small
// random programs (core/generate/random_program.h) together: each has threads, memory and locks of
// its own, its main thread is forked by the trace's main thread and joined before the next one
// starts, so the whole is one well-formed run. Their events get one source line for each kind of
// event, so that reports have names.
#include <algorithm>
#include <array>

#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/run.h"
#include "cli/trace_output.h"
#include "core/generate/random_program.h"
#include "core/generate/workload.h"
#include "core/model/make_event.h"
#include "core/report/words.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kBatch = 4096;

Result<void> define_all(EventWriter& writer, const Sources& names) {
  std::vector<Definition> all;
  for (const auto& [id, node] : names.nodes()) {
    all.emplace_back(SourceDefinition{id, node.caller, node.frame});
  }
  for (const auto& [thread, name] : names.threads()) all.emplace_back(ThreadName{thread, name});
  for (const auto& [lock, name] : names.locks()) all.emplace_back(LockName{lock, name});
  for (const auto& [addr, region] : names.regions()) all.emplace_back(region);
  for (const Definition& definition : all) {
    if (Result<void> done = writer.define(definition); !done) return done;
  }
  return {};
}

Result<void> write_workload(const Arguments& arguments, EventWriter& writer) {
  WorkloadOptions options;
  for (const ProfileInfo& profile : kProfiles) {
    if (profile.name == arguments.text("profile")) options.profile = profile.profile;
  }
  options.events = arguments.number("events");
  options.threads = static_cast<std::uint32_t>(arguments.number("threads"));
  options.seed = arguments.number("seed");
  options.working_set = arguments.number("working-set");
  if (Result<void> done = define_all(writer, Workload::sources(options)); !done) return done;
  Workload workload(options);
  std::array<Event, kBatch> events;
  for (;;) {
    const std::size_t made = workload.fill(events);
    if (Result<void> done = writer.append(std::span(events).first(made)); !done) return done;
    if (made < events.size()) return {};
    if (interrupted()) return fail("interrupted");
  }
}

// Where program number n of a random trace lives: far from all others.
constexpr std::uint64_t kProgramBytes = std::uint64_t{1} << 20;

Sources random_sources() {
  Sources names;
  for (const EventKindInfo& kind : kEventKinds) {
    const auto line = static_cast<std::uint32_t>(kind.kind) + 1;
    names.define(SourceId{line}, Frame{"do_" + std::string(kind.name), "random.cpp", line, 0});
  }
  names.name_thread(kMainThread, "main");
  return names;
}

// One program's events with its threads from `first_thread` on; returns how many threads it had.
std::uint32_t place(std::vector<Event>& events, std::uint32_t first_thread, std::uint64_t offset) {
  std::uint32_t threads = 1;
  for (Event& e : events) {
    threads = std::max(threads, raw(e.thread) + 1);
    e.thread = ThreadId{first_thread + raw(e.thread)};
    const Operand operand = info(e.kind).operand;
    if (operand == Operand::kThread) {
      threads = std::max(threads, raw(e.other()) + 1);
      e.object += first_thread;
    } else if (operand != Operand::kNone && operand != Operand::kCount) {
      e.object += offset;
    }
    e.source = SourceId{static_cast<std::uint32_t>(e.kind) + 1};
  }
  return threads;
}

Result<void> write_random(const Arguments& arguments, EventWriter& writer) {
  const std::uint64_t wanted = arguments.number("events");
  if (Result<void> done = define_all(writer, random_sources()); !done) return done;
  std::uint32_t first_thread = 1;
  for (std::uint64_t n = 0; writer.events() < wanted; ++n) {
    const std::uint64_t seed = arguments.number("seed") + n;
    ProgramShape shape = shape_of_seed(seed);
    shape.max_threads =
        std::min(shape.max_threads, static_cast<std::uint32_t>(arguments.number("threads")));
    shape.join_all = true;  // threads that nobody waits for would be remembered for ever
    std::vector<Event> program = random_program(seed, shape);
    const std::uint32_t threads = place(program, first_thread, n * kProgramBytes);
    program.insert(program.begin(), make::fork(0, first_thread));
    program.push_back(make::join(0, first_thread));
    if (Result<void> done = writer.append(program); !done) {
      return fail(done.error().message +
                  "\na random trace can have only so many threads; ask for "
                  "fewer events with --events");
    }
    first_thread += threads;
    if (interrupted()) return fail("interrupted");
  }
  return {};
}

Status generate(const Arguments& arguments) {
  const std::string& to = arguments.operands().front();
  Result<std::unique_ptr<EventWriter>> writer = create_output(arguments, to);
  if (!writer) return bad_input(writer.error().message);
  Result<void> done = arguments.text("profile") == "random" ? write_random(arguments, **writer)
                                                            : write_workload(arguments, **writer);
  if (done) done = (*writer)->finish();
  if (!done) return interrupted() ? Status::kBadInput : bad_input(done.error().message);
  if (arguments.flag("quiet") || to == "-") return Status::kClean;
  return print_and_end("redflag: " + plural((*writer)->events(), "event", "events") + " to " + to +
                       "; seed " + arguments.text("seed") + "\n");
}

}  // namespace

Status run_trace_generate(const Arguments& arguments) {
  Status status = Status::kBadInput;
  {
    const InterruptGuard guard;
    status = generate(arguments);
  }
  end_if_interrupted();
  return status;
}

}  // namespace redflag::cli
