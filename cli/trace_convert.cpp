// redflag trace convert: a trace of any format as .rft or text, events and names in their order.
#include "cli/console.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/trace_output.h"
#include "core/report/words.h"

namespace redflag::cli {
namespace {

// As copy_trace (core/trace/copy.h), with a look at the signals and the time once a batch.
Result<std::uint64_t> copy(EventReader& from, EventWriter& to, Progress& progress) {
  for (;;) {
    const Result<std::span<const Event>> batch = from.next();
    if (!batch) return Failure(batch.error());
    for (const Definition& definition : from.definitions()) {
      if (Result<void> done = to.define(definition); !done) return Failure(done.error());
    }
    if (batch->empty()) break;
    if (Result<void> done = to.append(*batch); !done) return Failure(done.error());
    progress.update(from, to.events());
    if (interrupted()) return fail("interrupted");
  }
  if (Result<void> done = to.finish(); !done) return Failure(done.error());
  return to.events();
}

Status convert(const Arguments& arguments) {
  const std::string& from = arguments.operands()[0];
  const std::string& to = arguments.operands()[1];
  Result<std::unique_ptr<EventWriter>> writer = create_output(arguments, to);
  if (!writer) return bad_input(writer.error().message);
  // Through Input also when it is read once: a wait for standard input must end on Ctrl-C.
  const Result<Input> input = Input::open(from);
  if (!input) return interrupted() ? Status::kBadInput : bad_input(input.error().message);
  Result<std::unique_ptr<EventReader>> reader = input->read();
  if (!reader) return bad_input(reader.error().message);
  Progress progress("converting", arguments.flag("quiet"));
  const Result<std::uint64_t> events = copy(**reader, **writer, progress);
  progress.erase();
  if (!events) {
    return interrupted() ? Status::kBadInput : bad_input(input->renamed(events.error().message));
  }
  if (arguments.flag("quiet") || to == "-") return Status::kClean;
  return print_and_end("redflag: " + plural(*events, "event", "events") + " from " + from + " (" +
                       (*reader)->format_name() + ") to " + to + "\n");
}

}  // namespace

Status run_trace_convert(const Arguments& arguments) {
  Status status = Status::kBadInput;
  {
    const InterruptGuard guard;
    status = convert(arguments);
  }
  end_if_interrupted();
  return status;
}

}  // namespace redflag::cli
