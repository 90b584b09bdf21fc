// Oracle: full vector clocks, every access of every byte kept, every pair compared. Slow and
// obvious.
//
// The idea. Each access remembers its thread and that thread's clock at the time. A later access
// races with it when the two conflict and the later thread's vector clock does not reach the
// earlier one's time. No history is ever dropped (except for memory that becomes new), no epoch is
// compared in place of a clock, no state is shared between locations, and threads are never
// renumbered. It shares no code with the other detectors' clocks: it is what they are tested
// against, and it must be right by reading alone.
//
// Ordering rules: docs/how/semantics.md, in the order of its paragraphs.
// Reports, for each access, every race on each byte with the earliest conflicting access; so it
// reports more than FastTrack after the first race of a byte. `races_with` tells tests all partners
// of an access. Cost: time O(accesses of the byte) per byte and access; memory O(all accesses). For
// small traces.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/detect/detector.h"

namespace redflag::oracle {

using Clock = std::map<ThreadId, std::uint64_t>;

class Oracle final : public Detector {
 public:
  explicit Oracle(const DetectorOptions& options) : options_(options) {}

  void on_events(std::span<const Event> events, EventIndex first) override;
  std::vector<Counter> stats() const override;
  std::size_t metadata_bytes() const override;

  // For tests: the indices of all earlier accesses of this byte that race with access `index`.
  std::set<EventIndex> races_with(EventIndex index, Addr byte) const;
  // Keep what races_with answers. Off by default: it is quadratic.
  void keep_pairs() { keep_pairs_ = true; }

 private:
  struct Past {
    EventIndex index;
    ThreadId thread;
    std::uint64_t time;  // of `thread`
    EventKind kind;
    bool synchronising;
    std::uint32_t position;  // in accesses_
  };
  struct Thread {
    Clock clock;
    Clock pending_acquire;
    Clock release_fence;
  };
  struct Lock {
    Clock released;
    Clock readers;
  };
  struct Barrier {
    Clock filling;
    Clock draining;
    std::set<ThreadId> entered;
  };

  void on_event(const Event& e, EventIndex index);
  Thread& thread(ThreadId id);
  bool synchronises(const Event& e) const;
  void obtain(Thread& t, const Event& e, Order order);
  void publish(Thread& t, const Event& e, Order order, bool continues_sequence);
  void tick(ThreadId id) { ++thread(id).clock[id]; }
  void access(const Event& e, EventIndex index);
  bool conflict(const Past& past, const Event& e, bool synchronising) const;

  DetectorOptions options_;
  std::map<ThreadId, Thread> threads_;
  std::map<LockId, Lock> locks_;
  std::map<BarrierId, Barrier> barriers_;
  std::unordered_map<std::uint64_t, Clock> atomics_;            // by byte
  std::unordered_map<std::uint64_t, std::vector<Past>> bytes_;  // by byte, in trace order
  std::vector<Event> accesses_;                                 // for reports
  std::map<std::pair<EventIndex, std::uint64_t>, std::set<EventIndex>> pairs_;
  bool keep_pairs_ = false;
  std::uint64_t races_ = 0;
  std::uint64_t kept_ = 0;
};

}  // namespace redflag::oracle
