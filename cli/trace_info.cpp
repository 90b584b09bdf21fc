// redflag trace info: what is in a trace, in numbers.
#include <cstdio>

#include "cli/console.h"
#include "cli/gpu_trace.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "core/report/words.h"
#include "core/trace/gpu_reader.h"
#include "core/trace/summary.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kLabelWidth = 18;

std::string row(std::string_view label, const std::string& value) {
  std::string padded(label);
  padded.resize(std::max(padded.size(), kLabelWidth), ' ');
  return padded + value + "\n";
}

std::string table(const EventReader& reader, const TraceInfo& info) {
  // A pipe has no size: what was read is what there was.
  const std::uint64_t file_bytes = reader.size() > 0 ? reader.size() : reader.position();
  std::string text = row("format", reader.format_name());
  text += row("size", bytes(file_bytes));
  char per_event[32];
  std::snprintf(per_event, sizeof(per_event), "%.2f", info.bytes_per_event(file_bytes));
  text += row("bytes per event", per_event);
  text += row("events", with_separators(info.events));
  for (const EventKindInfo& kind : kEventKinds) {
    const std::uint64_t count = info.per_kind[static_cast<std::size_t>(kind.kind)];
    if (count > 0) text += row("  " + std::string(kind.name), with_separators(count));
  }
  text += row("threads", with_separators(info.threads));
  if (!info.instructions.empty()) {
    text += row("instructions", with_separators(info.all_instructions()));
    for (const auto& [thread, count] : info.instructions) {
      text += row("  T" + std::to_string(raw(thread)), with_separators(count));
    }
  }
  text += row("locks", with_separators(info.locks));
  text += row("barriers", with_separators(info.barriers));
  text += row("sources", with_separators(info.sources) + " used, " +
                             with_separators(reader.sources().nodes().size()) + " defined");
  text += row("named regions", with_separators(reader.sources().regions().size()));
  text += row("bytes accessed", with_separators(info.accessed_bytes));
  if (info.lowest != Addr{0} || info.highest != Addr{0}) {
    text += row("addresses", hex(raw(info.lowest)) + " to " + hex(raw(info.highest)));
  }
  return text;
}

}  // namespace

Status run_trace_info(const Arguments& arguments) {
  const std::string& path = arguments.operands().front();
  if (GpuTraceReader::is_one(path)) return describe_gpu_trace(path);
  Result<std::unique_ptr<EventReader>> reader = open_trace(path);
  if (!reader) return bad_input(reader.error().message);
  Progress progress("reading", false);
  TraceSummary summary;
  std::uint64_t events = 0;
  for (;;) {
    const Result<std::span<const Event>> batch = (*reader)->next();
    if (!batch) return bad_input(batch.error().message);
    if (batch->empty()) break;
    summary.add(*batch);
    events += batch->size();
    progress.update(**reader, events);
  }
  progress.erase();
  return print_and_end(table(**reader, summary.info()));
}

}  // namespace redflag::cli
