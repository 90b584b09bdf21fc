// Detector: what consumes events and finds races.
//
// To make a new detector:
//   1. a folder here, with a header that says the idea, its cost and its limits in a page;
//   2. a class derived from Detector; on_events() gets every event of the trace once, in order, in
//   batches,
//      always on one thread: no locks are needed. Races go to the sink as they are found;
//   3. memory from options.memory only, nothing printed, no clock read, no global state;
//   4. a row in kDetectors (registry.h). Command line, help and comparative tests derive from that
//   table.
// Correct first: the differential tests (tests/oracle) run every row marked precise against the
// oracle.
//
// `empty`, `count` and `print` (trivial/) are the smallest examples.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"
#include "core/clock/happens_before.h"
#include "core/model/event.h"
#include "core/model/finding.h"
#include "core/model/race.h"
#include "core/shadow/shadow_map.h"

namespace redflag {

struct DetectorOptions {
  PageResource* memory = nullptr;  // required; one per detector, so that its bytes are known
  FindingSink* sink = nullptr;     // required
  Shard shard{};
  VolatileMeaning volatile_meaning = VolatileMeaning::kData;
  // May threads appear that no known thread forked? Then no history may ever be forgotten.
  bool threads_appear = true;
  // Sweep when this much metadata was allocated since the last sweep, and it doubled. Tests lower
  // it.
  std::size_t sweep_bytes = std::size_t{4} << 20;
  std::function<void(const Event&)> print{};  // for `print`: how to show an event
};

class Detector {
 public:
  virtual ~Detector() = default;
  // `first` is the index of events[0] in the trace.
  virtual void on_events(std::span<const Event> events, EventIndex first) = 0;
  virtual void finish() {}
  // Named figures for --stats, in the order to print them.
  virtual std::vector<Counter> stats() const { return {}; }
  // Bytes of metadata now: shadow, histories and clocks.
  virtual std::size_t metadata_bytes() const { return 0; }
  // Non-empty when the trace broke a promise that the options made, so that findings may be
  // missing.
  virtual std::string broken_promise() const { return {}; }
};

}  // namespace redflag
