// Any bytes, in chunks of 256, as the file a recorded process left: whatever comes out must be a trace that a writer
// takes, in the same order both times.
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/check.h"
#include "core/symbolize/symbolizer.h"
#include "core/trace/validate.h"
#include "core/trace/writer.h"
#include "frontends/cpu/collect/record_reader.h"
#include "frontends/cpu/collect/record_trace.h"

namespace {

// Takes everything and keeps nothing; the base class refuses what a reader would.
class Nowhere final : public redflag::EventWriter {
 public:
  Nowhere() : EventWriter("nowhere") {}

 protected:
  redflag::Result<void> write_definition(const redflag::Definition&) override { return {}; }
  redflag::Result<void> write_events(std::span<const redflag::Event>) override { return {}; }
  redflag::Result<void> write_end() override { return {}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  collect::RecordReader reader =
      collect::RecordReader::over({reinterpret_cast<const std::byte*>(data), size}, 256);
  std::uint64_t first = 0;
  while (const Event* event = reader.next()) {
    REDFLAG_CHECK(event_fault(*event) == nullptr);
    ++first;
  }
  REDFLAG_CHECK(first <= reader.events_at_most());
  symbolize::Symbolizer symbolizer;
  Nowhere writer;
  const Result<collect::RecordedTrace> trace = collect::write_recorded(reader, symbolizer, writer);
  REDFLAG_CHECK(trace.has_value());
  REDFLAG_CHECK(trace->events == first);
  return 0;
}
