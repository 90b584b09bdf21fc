// EventWriter: a trace being written, in either of our formats.
//
//   auto writer = create_trace("run.rft", TraceFormat::kRft);
//   (*writer)->define(SourceDefinition{...});
//   (*writer)->append(events);
//   (*writer)->finish();
//
// Definitions and events come out in the order given. Nothing appears under the final name before
// finish(). Each call returns the first error there was; events and definitions that a reader would
// refuse are errors here already. Holds at most one block, and the numbers of the defined sources.
// One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_set>

#include "core/base/error.h"
#include "core/model/event.h"
#include "core/trace/definition.h"

namespace redflag {

enum class TraceFormat : std::uint8_t { kRft, kText };

class EventWriter {
 public:
  virtual ~EventWriter();

  // A definition after events ends the batch of events before it, in .rft also the block: give
  // those that are known together, before the events.
  Result<void> define(const Definition& definition);
  Result<void> append(std::span<const Event> events);
  Result<void> append(const Event& event) { return append({&event, 1}); }
  Result<void> finish();

  std::uint64_t events() const { return events_; }

 protected:
  explicit EventWriter(std::string name) : name_(std::move(name)) {}
  EventWriter(EventWriter&&) = default;
  EventWriter& operator=(EventWriter&&) = default;

  // What the formats do; the arguments have been checked.
  virtual Result<void> write_definition(const Definition& definition) = 0;
  virtual Result<void> write_events(std::span<const Event> events) = 0;
  virtual Result<void> write_end() = 0;

 private:
  Result<void> keep(Result<void> result);  // remembers the first error
  Result<void> refuse(const char* what);

  std::string name_;
  std::unordered_set<std::uint32_t> defined_;  // sources: a caller must be among them
  std::uint64_t events_ = 0;
  bool finished_ = false;
  Result<void> state_;
};

Result<std::unique_ptr<EventWriter>> create_trace(const std::string& path, TraceFormat format);

}  // namespace redflag
