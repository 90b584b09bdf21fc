// EventReader: a trace as a stream of batches of events, whatever its format.
//
//   auto reader = open_trace(path);
//   while (true) {
//     Result<std::span<const Event>> batch = (*reader)->next();
//     if (!batch) ...;            // the message names file and place
//     if (batch->empty()) break;  // the whole trace was read, and its end was there
//     ...
//   }
//
// Three formats are told apart by content: .rft (docs/how/trace-format.md), our text form
// (text_reader.h) and STD, the format of the race-prediction community (std_reader.h). A reader
// holds one batch and the names, never the trace. Every event it gives has been checked by itself
// (validate.h); whether the events make sense together is the stream checker's question (check.h).
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/event.h"
#include "core/model/sources.h"
#include "core/trace/definition.h"

namespace redflag {

class EventReader {
 public:
  virtual ~EventReader();

  // The next batch; an empty one at the end of the trace. Valid until the next call. After an error
  // every further call gives that error again.
  Result<std::span<const Event>> next();

  // What was defined so far: before the last batch and with it.
  const Sources& sources() const { return sources_; }

  // The definitions that came with the last batch; all of them hold for its events. For those who
  // pass a trace on (copy.h). Valid until the next call of next().
  std::span<const Definition> definitions() const { return definitions_; }

  virtual std::string format_name() const = 0;  // "rft", "text", "std"

  // Bytes read and bytes in all, for progress; 0 if unknown.
  virtual std::uint64_t position() const { return 0; }
  virtual std::uint64_t size() const { return 0; }

 protected:
  // What a format does for next(): begins by clearing definitions_.
  virtual Result<std::span<const Event>> read_batch() = 0;

  Sources sources_;
  std::vector<Definition> definitions_;

 private:
  std::optional<Error> failed_;
};

// By content, not by name; "-" is standard input.
Result<std::unique_ptr<EventReader>> open_trace(const std::string& path);
// For tests and fuzzers; `name` stands in messages where a file's name would.
Result<std::unique_ptr<EventReader>> open_trace_bytes(std::string name, std::string bytes);

}  // namespace redflag
