#include "core/detect/gpu/host_order.h"

#include <algorithm>

namespace redflag::gpu {
namespace {

void join(HostOrder::Clock& into, const HostOrder::Clock& from) {
  for (const auto& [agent, sequence] : from) into[agent] = std::max(into[agent], sequence);
}

}  // namespace

HostOrder::Number HostOrder::note(Agent agent) {
  Clock& clock = agents_[agent];
  const std::uint64_t sequence = ++clock[agent];
  points_.push_back({agent, sequence, clock});
  return static_cast<Number>(points_.size());
}

HostOrder::Number HostOrder::put(ThreadId thread, StreamId stream, bool waits) {
  Clock& clock = agents_[of(stream)];
  join(clock, agents_[of(thread)]);
  if (raw(stream) == 0) {
    for (const auto& [agent, other] : agents_) {
      if (agent % 2 == 1 && blocking(StreamId{static_cast<std::uint32_t>(agent / 2)})) {
        join(clock, other);
      }
    }
  } else if (blocking(stream)) {
    const auto standard = agents_.find(of(StreamId{0}));
    if (standard != agents_.end()) join(clock, standard->second);
  }
  const Number number = note(of(stream));
  if (waits) join(agents_[of(thread)], agents_[of(stream)]);
  return number;
}

HostOrder::Number HostOrder::host(const HostStep& step) {
  Clock& self = agents_[of(step.host_thread)];
  switch (step.kind) {
    case HostKind::kWrite:
    case HostKind::kRead:
      return put(step.host_thread, step.stream, step.waits);
    case HostKind::kHostWrite:
    case HostKind::kHostRead:
      return note(of(step.host_thread));
    case HostKind::kSyncStream:
      join(self, agents_[of(step.stream)]);
      break;
    case HostKind::kSyncDevice:
      for (const auto& [agent, clock] : agents_) {
        if (agent % 2 == 1) join(self, clock);
      }
      break;
    case HostKind::kRecordEvent:
      events_[raw(step.event)] = agents_[of(step.stream)];
      join(events_[raw(step.event)], self);
      break;
    case HostKind::kSyncEvent:
      join(self, events_[raw(step.event)]);
      break;
    case HostKind::kStreamWait:
      join(agents_[of(step.stream)], events_[raw(step.event)]);
      break;
    case HostKind::kStreamNonBlocking:
      non_blocking_.insert(raw(step.stream));
      break;
    case HostKind::kAlloc:
    case HostKind::kFree:
      break;
  }
  return 0;
}

bool HostOrder::knows(Number later, Number earlier) const {
  if (later == earlier) return true;
  const Point& point = points_[earlier - 1];
  const Clock& clock = points_[later - 1].clock;
  const auto found = clock.find(point.agent);
  return found != clock.end() && found->second >= point.sequence;
}

// A stream's next operation starts behind the host thread that puts it there: so streams need not
// know, but every host thread must.
bool HostOrder::all_known_everywhere() const {
  Clock newest;
  for (const auto& [agent, clock] : agents_) {
    const auto own = clock.find(agent);
    if (own != clock.end()) newest[agent] = own->second;
  }
  return std::all_of(agents_.begin(), agents_.end(), [&](const auto& one) {
    if (one.first % 2 == 1) return true;
    return std::all_of(newest.begin(), newest.end(), [&](const auto& last) {
      const auto found = one.second.find(last.first);
      return found != one.second.end() && found->second >= last.second;
    });
  });
}

}  // namespace redflag::gpu
