// Any bytes as a stream of events: no detector may crash on it, however ill-formed, nor the
// explainer on what they report; and on a well-formed one the precise detectors must agree with the
// oracle.
//
// Four bytes make an event: kind, thread, object, size and order. The world is small (eight
// threads, four locks, two cache lines), so that mutations meet.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/detect/registry.h"
#include "core/explain/explainer.h"
#include "core/trace/check.h"
#include "core/trace/validate.h"
#include "tests/oracle/compare.h"

namespace redflag {
namespace {

struct Collected final : FindingSink {
  void on_race(const Race& race) override { races.on_race(race); }
  RaceCollector races;
};

std::vector<Event> events_of(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 400;  // the oracle is quadratic
  std::vector<Event> events;
  for (std::size_t i = 0; i + 4 <= size && events.size() < kMost; i += 4) {
    Event e;
    e.kind = static_cast<EventKind>(data[i] % kEventKindCount);
    e.is_volatile = info(e.kind).may_be_volatile && data[i] >= 200;
    e.thread = ThreadId{data[i + 1] % 8U};
    if (info(e.kind).has_order) e.order = static_cast<Order>(1 + data[i + 3] / 32 % 5);
    switch (info(e.kind).operand) {
      case Operand::kMemory:
        e.object = 0x10ff0 + data[i + 2] % 64U;
        e.size = 1 + data[i + 3] % 20U;
        break;
      case Operand::kThread:
        e.object = data[i + 2] % 8U;
        break;
      case Operand::kLock:
      case Operand::kBarrier:
        e.object = data[i + 2] % 4U;
        break;
      case Operand::kCount:
        e.object = data[i + 2];
        break;
      case Operand::kNone:
        break;
    }
    if (event_fault(e) == nullptr) events.push_back(e);
  }
  return events;
}

void survive(const DetectorInfo& detector, const std::vector<Event>& events) {
  PageResource memory;
  Collected sink;
  const std::unique_ptr<Detector> made =
      detector.make({.memory = &memory, .sink = &sink, .threads_appear = false, .sweep_bytes = 1});
  made->on_events(events, EventIndex{0});
  made->finish();
  Explainer explainer(sink.races.races());
  explainer.on_events(events, EventIndex{0}, Sources{});
  if (!explainer.done()) std::abort();
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::vector<Event> events = events_of(data, size);
  for (const DetectorInfo& detector : kDetectors) survive(detector, events);
  StreamChecker checker({.roots_allowed = false}, [](const StreamReport&) {});
  checker.add(events, Sources{});
  if (checker.count(Severity::kError) != 0) return;
  for (const DetectorInfo& detector : kDetectors) {
    if (!detector.precise || detector.name == "oracle") continue;
    const std::string problem = disagreement(detector.name, events);
    if (problem.empty()) continue;
    std::fprintf(stderr, "%s\n%s", problem.c_str(), to_text(events).c_str());
    std::abort();
  }
}

}  // namespace
}  // namespace redflag

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redflag::run(data, size);
  return 0;
}
