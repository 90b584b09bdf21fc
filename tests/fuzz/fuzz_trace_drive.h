// What the trace fuzzers do with a trace once its bytes are made: read it to its end or its first
// error, check and summarize it, and, when it could be read, copy it to text, to .rft and to text
// again, which must give the same text.
#pragma once

#include <cstdlib>
#include <string>

#include "core/trace/byte_sink.h"
#include "core/trace/check.h"
#include "core/trace/copy.h"
#include "core/trace/reader.h"
#include "core/trace/rft_writer.h"
#include "core/trace/summary.h"
#include "core/trace/text_writer.h"
#include "core/trace/validate.h"

namespace redflag::fuzz {

// A few compressed bytes may be a long trace: enough is read of it, and it is not copied.
inline constexpr std::uint64_t kEnoughEvents = 200000;

inline void require(bool condition) {
  if (!condition) std::abort();
}

// True when the whole trace was read without an error.
inline bool read_and_check(EventReader& reader) {
  StreamChecker checker({.roots_allowed = reader.format_name() == "std"},
                        [](const StreamReport& report) { require(!report.message.empty()); });
  TraceSummary summary;
  while (checker.events() < kEnoughEvents) {
    const Result<std::span<const Event>> batch = reader.next();
    if (!batch) {
      require(!batch.error().message.empty());
      require(!reader.next());
      return false;
    }
    if (batch->empty()) {
      checker.finish(reader.sources());
      require(summary.info().events == checker.events());
      return true;
    }
    for (const Event& event : *batch) require(event_fault(event) == nullptr);
    checker.add(*batch, reader.sources());
    summary.add(*batch);
  }
  return false;
}

template <typename Writer>
std::string copied(const std::string& bytes) {
  Result<std::unique_ptr<EventReader>> reader = open_trace_bytes("copy", bytes);
  require(reader.has_value());
  std::string out;
  Writer writer{ByteSink(&out)};
  require(copy_trace(**reader, writer).has_value());
  require(writer.finish().has_value());
  return out;
}

inline void drive(const std::string& bytes) {
  Result<std::unique_ptr<EventReader>> reader = open_trace_bytes("fuzz", bytes);
  if (!reader || !read_and_check(**reader)) return;
  const std::string text = copied<TextTraceWriter>(bytes);
  require(copied<TextTraceWriter>(copied<TraceWriter>(text)) == text);
}

}  // namespace redflag::fuzz
