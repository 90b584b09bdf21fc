// Helpers of this folder's tests: random events of every kind with extreme values, and whole
// traces to and from bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/trace/byte_sink.h"
#include "core/trace/copy.h"
#include "core/trace/reader.h"
#include "core/trace/rft_writer.h"
#include "core/trace/text_writer.h"
#include "core/trace/validate.h"

namespace redflag::testing_trace {

using Random = std::mt19937_64;

// Small, large and in between with like chances: a random number of bits.
inline std::uint64_t any_number(Random& random) {
  const unsigned bits = static_cast<unsigned>(random() % 65);
  return bits == 0 ? 0 : random() >> (64 - bits);
}

// A faultless event of any kind.
inline Event any_event(Random& random) {
  const EventKindInfo& kind = kEventKinds[random() % kEventKinds.size()];
  Event e;
  e.kind = kind.kind;
  if (kind.has_order) e.order = static_cast<Order>(1 + random() % (kOrderCount - 1));
  if (random() % 4 == 0) e.scope = static_cast<Scope>(random() % kScopeCount);
  e.is_volatile = kind.may_be_volatile && random() % 4 == 0;
  e.thread = ThreadId{static_cast<std::uint32_t>(
      random() % 8 == 0 ? any_number(random) % kThreadLimit : random() % 4)};
  e.source = SourceId{static_cast<std::uint32_t>(any_number(random))};
  switch (kind.operand) {
    case Operand::kMemory:
      e.size = static_cast<std::uint32_t>(
          random() % 2 == 0 ? 1u << random() % 32 : 1 + any_number(random) % kMaxAccessSize);
      e.object = any_number(random);
      if (!is_range_valid(e.object, e.size))
        e.object = std::numeric_limits<std::uint64_t>::max() - e.size;
      break;
    case Operand::kLock:
    case Operand::kBarrier:
    case Operand::kCount:
      e.object = any_number(random);
      break;
    case Operand::kThread:
      e.object = any_number(random) % kThreadLimit;
      break;
    case Operand::kNone:
      break;
  }
  return e;
}

inline std::vector<Event> any_events(Random& random, std::size_t count) {
  std::vector<Event> events(count);
  for (Event& event : events) event = any_event(random);
  return events;
}

inline std::string any_text(Random& random) {
  std::string text;
  for (std::uint64_t n = random() % 12; n > 0; --n) text += static_cast<char>(random());
  return text;
}

// Sources 1 to n in order, with callers among them, and names of other things between.
inline std::vector<Definition> any_definitions(Random& random, std::uint32_t count) {
  std::vector<Definition> definitions;
  for (std::uint32_t id = 1; id <= count; ++id) {
    Frame frame{any_text(random), any_text(random), static_cast<std::uint32_t>(any_number(random)),
                static_cast<std::uint32_t>(any_number(random))};
    definitions.push_back(SourceDefinition{
        SourceId{id}, SourceId{static_cast<std::uint32_t>(random() % id)}, std::move(frame)});
    switch (random() % 4) {
      case 0:
        definitions.push_back(ThreadName{
            ThreadId{static_cast<std::uint32_t>(random() % kThreadLimit)}, any_text(random)});
        break;
      case 1:
        definitions.push_back(LockName{LockId{any_number(random)}, any_text(random)});
        break;
      case 2:
        definitions.push_back(Region{Addr{any_number(random) / 2}, 1 + any_number(random) / 4,
                                     static_cast<RegionKind>(random() % kRegionKindCount),
                                     any_text(random), SourceId{id}});
        break;
      default:
        break;
    }
  }
  return definitions;
}

inline std::string to_rft(const std::vector<Definition>& definitions,
                          const std::vector<Event>& events) {
  std::string bytes;
  TraceWriter writer{ByteSink(&bytes)};
  for (const Definition& definition : definitions) EXPECT_TRUE(writer.define(definition));
  EXPECT_TRUE(writer.append(events));
  EXPECT_TRUE(writer.finish());
  return bytes;
}

struct ReadTrace {
  std::vector<Definition> definitions;
  std::vector<Event> events;
  std::string error;  // empty: read to the end
};

inline ReadTrace read_all(const std::string& bytes) {
  ReadTrace trace;
  Result<std::unique_ptr<EventReader>> reader = open_trace_bytes("trace", bytes);
  if (!reader) {
    trace.error = reader.error().message;
    return trace;
  }
  for (;;) {
    const Result<std::span<const Event>> batch = (*reader)->next();
    if (!batch) {
      trace.error = batch.error().message;
      return trace;
    }
    for (const Definition& d : (*reader)->definitions()) trace.definitions.push_back(d);
    if (batch->empty()) return trace;
    trace.events.insert(trace.events.end(), batch->begin(), batch->end());
  }
}

// Copies a trace of any format into memory in the given one.
inline std::string convert(const std::string& bytes, TraceFormat format) {
  Result<std::unique_ptr<EventReader>> reader = open_trace_bytes("trace", bytes);
  if (!reader) return reader.error().message;
  std::string out;
  const auto copy_to = [&](EventWriter&& writer) {
    const Result<std::uint64_t> copied = copy_trace(**reader, writer);
    EXPECT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(writer.finish());
  };
  if (format == TraceFormat::kRft) {
    copy_to(TraceWriter{ByteSink(&out)});
  } else {
    copy_to(TextTraceWriter{ByteSink(&out)});
  }
  return out;
}

// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(::testing::TempDir() + "redflag-trace-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "cannot make " << path_;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace redflag::testing_trace
