// The runtime's detector (core/live) behind the interface of the others, so that it is held to the
// oracle.
//
// One thread plays all threads of a trace, each with its own live::Thread: what the rules do with
// an order of steps is tested here, what concurrency does to the rules in core/live's stress tests.
// With `aliased`, all memory is mapped several times, from some event on
// and until some other, and is accessed now at this address and now at that.
#pragma once

#include <map>

#include "core/clock/happens_before.h"
#include "core/detect/detector.h"
#include "core/live/detector.h"

namespace redflag {

class LiveAdapter final : public Detector {
 public:
  LiveAdapter(const DetectorOptions& options, bool aliased);
  ~LiveAdapter() override;
  void on_events(std::span<const Event> events, EventIndex first) override;
  void finish() override { present_ = this; }

 private:
  live::Thread& thread(ThreadId id);
  void on_event(const Event& e);
  void access(const Event& e);
  void map_and_unmap();
  std::uint64_t name(std::uint64_t addr) const;  // one of the addresses of what the trace says
  static void on_race(live::Thread& t, const live::LiveRace& race);

  DetectorOptions options_;
  const bool aliased_;
  unsigned first_name_ = 0;  // that is mapped, and the end of them
  unsigned names_ = 0;
  live::Detector* detector_;
  std::map<ThreadId, live::Thread*> threads_;
  std::map<std::pair<ThreadId, std::uint64_t>, std::uint32_t> rounds_;  // entered, by barrier
  // The clocks that others count: one for each release. A live thread counts those epochs only in
  // which it has accessed something.
  HappensBefore order_;
  std::map<std::pair<ThreadId, std::uint64_t>, std::uint64_t> clocks_;  // by thread and live clock
  const Event* event_ = nullptr;
  EventIndex index_{0};
  static LiveAdapter* present_;
};

}  // namespace redflag
