// Explainer: from races to findings, by a second look at the trace.
//
// Fast detectors know of the earlier access only its thread and clock. The explainer reads the
// events again, finds the access itself (the first of that thread, at that clock, of that kind, on
// those bytes), the locks both sides held, what the memory is called, and the synchronisation
// around the two: enough to say what was missing, what to change, and to draw the picture. It
// decides nothing: the races are given.
//
//   Explainer explainer(collector.races(), volatile_meaning);
//   for each batch of the trace:  explainer.on_events(batch, first_index, sources);
//   std::vector<Finding> findings = explainer.finish();
//
// Time: that of the clocks, plus a look-up for accesses in epochs that are asked for. Memory: the
// races, and a few recent synchronisation steps per thread. done() tells when the rest of the trace
// does not matter.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/memory.h"
#include "core/clock/happens_before.h"
#include "core/explain/race_collector.h"
#include "core/model/finding.h"

namespace redflag {

class Explainer {
 public:
  explicit Explainer(std::vector<CollectedRace> races,
                     VolatileMeaning volatile_meaning = VolatileMeaning::kData);

  void on_events(std::span<const Event> events, EventIndex first, const Sources& sources);
  bool done() const { return next_second_ == races_.size(); }
  std::vector<Finding> finish() { return std::move(findings_); }

  // The race with its first access completed; for tests and tools. In the order given.
  const Race& race(std::size_t i) const { return races_[i].race; }

 private:
  struct Holding {
    LockId lock{0};
    bool shared = false;
    int depth = 0;
  };
  // A synchronisation event, and the one on another thread that it obtained from.
  struct SyncStep {
    Event event;
    EventIndex index = kNoIndex;
    ThreadId from_thread{0};
    EventIndex from = kNoIndex;
    bool starts = false;  // not an event of its own: where a fork lets the thread begin
  };
  // A value that came from another thread's store.
  struct Receipt {
    Addr addr{0};
    ThreadId store_thread{0};
    EventIndex store = kNoIndex;
    EventIndex load = kNoIndex;
    bool released = false;
    bool acquired = false;
  };
  struct ThreadInfo {
    std::vector<Holding> held;
    std::deque<SyncStep> recent;   // at most kRecent
    std::deque<Receipt> receipts;  // at most kRecent
    bool release_fence = false;    // since a release fence: relaxed stores publish
    std::uint64_t clock = 0;       // for which `asked` is valid
    const std::vector<std::size_t>* asked = nullptr;  // races whose first access is in this epoch
  };
  struct LastStore {
    ThreadId thread{0};
    EventIndex index = kNoIndex;
    bool released = false;
  };
  // What was known when the first access was found.
  struct FirstSide {
    bool found = false;
    std::vector<Holding> held;
    std::vector<SyncStep> before;
  };
  static constexpr std::size_t kRecent = 24;

  ThreadInfo& thread(ThreadId id);
  void refresh(ThreadInfo& info, ThreadId id);
  void look_up(const Event& e, EventIndex index, ThreadInfo& info);
  void found(std::size_t i, const Event& e, EventIndex index, const ThreadInfo& info);
  void withdraw(Addr addr, std::uint64_t size);
  void second_reached(std::size_t i, const Sources& sources);
  void note_sync(const Event& e, EventIndex index);
  void note_atomic(const Event& e, EventIndex index, ThreadInfo& info);
  void note_locks(const Event& e, ThreadInfo& info);
  void remember(ThreadInfo& info, SyncStep step);

  // picture.cpp, advice.cpp
  void draw(Finding& f, const FirstSide& first, const Sources& sources);
  void advise(Finding& f, const Sources& sources);
  const Receipt* message_between(const Access& first, const Access& second);

  std::vector<CollectedRace> races_;  // by second.index
  std::vector<FirstSide> firsts_;
  std::vector<Finding> findings_;
  std::size_t next_second_ = 0;
  std::map<std::pair<ThreadId, std::uint64_t>, std::vector<std::size_t>> by_epoch_;
  std::multimap<EventIndex, std::size_t> by_index_;
  // First accesses found by epoch whose second is still to come, by the race's first byte: if that
  // memory becomes new in between, they were not it.
  std::multimap<Addr, std::size_t> provisional_;

  PageResource memory_;
  HappensBefore order_;
  std::map<ThreadId, ThreadInfo> threads_;
  std::unordered_map<std::uint64_t, SyncStep> last_release_;  // by lock; value: the releasing step
  std::unordered_map<std::uint64_t, std::vector<SyncStep>> barrier_rounds_;
  std::unordered_map<std::uint64_t, LastStore> last_store_;  // by first byte of the atomic
};

// Names for people: "m" or "lock 0x40", "worker" or "T3", and so on.
std::string thread_label(ThreadId thread, const Sources& sources);
std::string lock_label(LockId lock, const Sources& sources);
std::string access_label(const Access& access);  // "atomic store of 4 bytes (relaxed)"

}  // namespace redflag
