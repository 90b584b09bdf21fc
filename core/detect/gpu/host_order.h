// HostOrder: what orders launches, copies and the host's own accesses: streams, events, waiting.
//
// A small vector clock over host threads and streams. A launch or copy is one point in its stream,
// after what was put there before and after what the host did before it; the host goes on at once.
// The default stream waits for all blocking streams, and they for it (CUDA's legacy default
// stream). Every launch and host access gets a number; `knows` says whether one is behind another.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/model/gpu.h"

namespace redflag::gpu {

class HostOrder {
 public:
  using Agent = std::uint64_t;  // a host thread or a stream
  using Clock = std::map<Agent, std::uint64_t>;
  using Number = std::uint32_t;  // of a launch or host access, from 1

  Number launch(const Launch& launch) { return put(launch.host_thread, launch.stream, false); }
  // Returns the number of the access, or 0 where the step is none.
  Number host(const HostStep& step);

  // Is `earlier` ordered before `later`?
  bool knows(Number later, Number earlier) const;
  // Are all numbers so far behind the host thread, and behind every other thread and stream?
  bool all_known_everywhere() const;
  std::size_t count() const { return points_.size(); }
  void restart() { points_.clear(); }  // numbers begin again; nobody may ask for an old one

 private:
  struct Point {
    Agent agent = 0;
    std::uint64_t sequence = 0;
    Clock clock;
  };
  static Agent of(ThreadId thread) { return std::uint64_t{raw(thread)} * 2; }
  static Agent of(StreamId stream) { return std::uint64_t{raw(stream)} * 2 + 1; }
  Number put(ThreadId thread, StreamId stream, bool waits);
  Number note(Agent agent);
  bool blocking(StreamId stream) const { return !non_blocking_.contains(raw(stream)); }

  std::map<Agent, Clock> agents_;
  std::map<std::uint32_t, Clock> events_;
  std::set<std::uint32_t> non_blocking_;
  std::vector<Point> points_;
};

}  // namespace redflag::gpu
