// redflag trace check: whether the events of a trace make sense together.
#include "cli/console.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "core/report/clean.h"
#include "core/report/words.h"
#include "core/trace/check.h"
#include "core/trace/reader.h"

namespace redflag::cli {
namespace {

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

std::string summary_line(const StreamChecker& checker, std::uint64_t events) {
  const std::uint64_t errors = checker.count(Severity::kError);
  std::string text = "redflag: " + plural(events, "event", "events") + "; ";
  text += errors == 0 ? "no errors" : plural(errors, "error", "errors");
  if (const std::uint64_t n = checker.count(Severity::kWarning); n > 0) {
    text += ", " + plural(n, "warning", "warnings");
  }
  if (const std::uint64_t n = checker.count(Severity::kNote); n > 0) {
    text += ", " + plural(n, "note", "notes");
  }
  return text + "\n";
}

}  // namespace

Status run_trace_check(const Arguments& arguments) {
  Result<std::unique_ptr<EventReader>> reader = open_trace(arguments.operands().front());
  if (!reader) return bad_input(reader.error().message);
  const bool quiet = arguments.flag("quiet");
  std::string found;
  const auto on_problem = [&](const StreamReport& report) {
    const StreamProblemInfo& problem = info(report.problem);
    if (quiet && problem.severity != Severity::kError) return;
    found += std::string(word(problem.severity)) + "[" + std::string(problem.id) +
             "]: " + printable(report.message) + "\n";
  };
  StreamChecker::Options options;
  options.roots_allowed = arguments.is_set("roots") ? arguments.text("roots") == "any"
                                                    : (*reader)->format_name() == "std";
  StreamChecker checker(options, on_problem);
  Progress progress("checking", quiet);
  std::uint64_t events = 0;
  for (;;) {
    const Result<std::span<const Event>> batch = (*reader)->next();
    if (!batch) return bad_input(batch.error().message);
    if (batch->empty()) break;
    checker.add(*batch, (*reader)->sources());
    events += batch->size();
    progress.update(**reader, events);
  }
  checker.finish((*reader)->sources());
  progress.erase();
  if (!quiet) found += summary_line(checker, events);
  const bool good = checker.count(Severity::kError) == 0;
  return print_and_end(found, good ? Status::kClean : Status::kBadInput);
}

}  // namespace redflag::cli
