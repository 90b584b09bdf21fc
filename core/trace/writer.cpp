#include "core/trace/writer.h"

#include "core/trace/rft_writer.h"
#include "core/trace/text_writer.h"
#include "core/trace/validate.h"

namespace redflag {
namespace {

template <typename Writer>
Result<std::unique_ptr<EventWriter>> create(const std::string& path) {
  Result<Writer> writer = Writer::create(path);
  if (!writer) return Failure(writer.error());
  return std::make_unique<Writer>(std::move(*writer));
}

}  // namespace

EventWriter::~EventWriter() = default;

Result<void> EventWriter::keep(Result<void> result) {
  if (!result && state_) state_ = result;
  return result;
}

Result<void> EventWriter::refuse(const char* what) {
  return keep(fail(name_ + ": event " + std::to_string(events_) + ": cannot be written: " + what));
}

Result<void> EventWriter::define(const Definition& definition) {
  if (!state_) return state_;
  if (finished_) return refuse("a definition after the end of the trace");
  if (const char* what = definition_fault(definition)) return refuse(what);
  if (const auto* source = std::get_if<SourceDefinition>(&definition)) {
    if (source->caller != kNoSource && !defined_.contains(raw(source->caller)))
      return refuse("the caller of a source is not defined, expected its definition before");
    defined_.insert(raw(source->id));
  }
  return keep(write_definition(definition));
}

Result<void> EventWriter::append(std::span<const Event> events) {
  if (!state_) return state_;
  if (finished_) return refuse("an event after the end of the trace");
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (const char* what = event_fault(events[i])) {
      events_ += i;
      return refuse(what);
    }
  }
  events_ += events.size();
  return keep(write_events(events));
}

Result<void> EventWriter::finish() {
  if (!state_) return state_;
  if (finished_) return refuse("finished twice");
  finished_ = true;
  return keep(write_end());
}

Result<std::unique_ptr<EventWriter>> create_trace(const std::string& path, TraceFormat format) {
  return format == TraceFormat::kRft ? create<TraceWriter>(path) : create<TextTraceWriter>(path);
}

}  // namespace redflag
