// StreamChecker: whether the events of a trace make sense together.
//
// A detector takes its input for a run that could have happened: a lock is released by its holder,
// a thread acts between its fork and its join. Traces that are cut, merged in the wrong order or
// written by hand break such rules, and then every race reported is worth nothing. The checker
// says which rule and where; it never changes or drops events. Each problem is a row of
// kStreamProblems.
//
//   StreamChecker checker({.roots_allowed = reader.format_name() == "std"}, on_problem);
//   checker.add(batch, reader.sources());   ... for each batch
//   checker.finish(reader.sources());
//
// After a problem it goes on as if the event had been legal, so that one fault gives one report.
// Memory: one byte for each thread, in pages, and what is live: locks held, threads inside
// barriers. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/model/event.h"
#include "core/model/sources.h"

namespace redflag {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

enum class StreamProblem : std::uint8_t {
  kReleaseNotHeld,
  kReleaseOtherMode,
  kAcquireHeld,
  kAcquireSharedHeld,
  kThreadNotStarted,
  kThreadEnded,
  kThreadJoined,
  kForkItself,
  kForkStarted,
  kJoinItself,
  kJoinNotStarted,
  kJoinTwice,
  kBarrierExit,
  kBarrierEnter,
  kBadRange,
  kBadOrder,
  kBadEvent,
  kUnknownSource,
  kLockHeldAtEnd,
  kThreadNotJoined,
};
inline constexpr int kStreamProblemCount = 20;

struct StreamProblemInfo {
  StreamProblem problem;
  std::string_view id;
  Severity severity;
  std::string_view text;
};

inline constexpr std::array<StreamProblemInfo, kStreamProblemCount> kStreamProblems{{
    {StreamProblem::kReleaseNotHeld, "release-not-held", Severity::kError,
     "releases a lock that it does not hold"},
    {StreamProblem::kReleaseOtherMode, "release-other-mode", Severity::kError,
     "releases a lock in the other mode than it holds it (exclusive, shared)"},
    {StreamProblem::kAcquireHeld, "acquire-held", Severity::kError,
     "takes a lock exclusively that another thread holds"},
    {StreamProblem::kAcquireSharedHeld, "acquire-shared-held", Severity::kError,
     "takes a lock for reading that another thread holds exclusively"},
    {StreamProblem::kThreadNotStarted, "thread-not-started", Severity::kError,
     "acts before any thread forked it"},
    {StreamProblem::kThreadEnded, "thread-ended", Severity::kError, "acts after its end"},
    {StreamProblem::kThreadJoined, "thread-joined", Severity::kError,
     "acts after another thread joined it"},
    {StreamProblem::kForkItself, "fork-itself", Severity::kError, "forks itself"},
    {StreamProblem::kForkStarted, "fork-started", Severity::kError,
     "forks a thread that has already started"},
    {StreamProblem::kJoinItself, "join-itself", Severity::kError, "joins itself"},
    {StreamProblem::kJoinNotStarted, "join-not-started", Severity::kError,
     "joins a thread that never started"},
    {StreamProblem::kJoinTwice, "join-twice", Severity::kError,
     "joins a thread that was joined before"},
    {StreamProblem::kBarrierExit, "barrier-exit", Severity::kError,
     "leaves a barrier that it did not enter"},
    {StreamProblem::kBarrierEnter, "barrier-enter", Severity::kError,
     "enters a barrier again without having left it"},
    {StreamProblem::kBadRange, "bad-range", Severity::kError,
     "has a size of 0, above 2^31, or an address range that wraps"},
    {StreamProblem::kBadOrder, "bad-order", Severity::kError,
     "has a memory order that its kind cannot have"},
    {StreamProblem::kBadEvent, "bad-event", Severity::kError, "has a field out of its range"},
    {StreamProblem::kUnknownSource, "unknown-source", Severity::kWarning,
     "names a source that was not defined before it"},
    {StreamProblem::kLockHeldAtEnd, "lock-held-at-end", Severity::kNote,
     "still holds a lock at the end of the trace"},
    {StreamProblem::kThreadNotJoined, "thread-not-joined", Severity::kNote, "was never joined"},
}};

constexpr const StreamProblemInfo& info(StreamProblem problem) {
  return kStreamProblems[static_cast<std::size_t>(problem)];
}

struct StreamReport {
  StreamProblem problem = StreamProblem::kBadEvent;
  EventIndex index = kNoIndex;  // of the event; kNoIndex for what is found at the end
  std::string message;          // "event 7: T1 acquire 0x10: releases a lock ..."
};

class StreamChecker {
 public:
  struct Options {
    bool roots_allowed = false;  // threads besides T0 may start without a fork, as in STD
    std::uint64_t reports_per_problem = 10;  // further ones are only counted
  };
  using OnProblem = std::function<void(const StreamReport&)>;

  StreamChecker(Options options, OnProblem on_problem)
      : options_(options), on_problem_(std::move(on_problem)) {}

  void add(std::span<const Event> events, const Sources& sources);
  void finish(const Sources& sources);  // the notes about what was left open

  std::uint64_t events() const { return events_; }
  std::uint64_t count(StreamProblem problem) const {
    return counts_[static_cast<std::size_t>(problem)];
  }
  std::uint64_t count(Severity severity) const;  // reported or not

 private:
  enum class ThreadState : std::uint8_t { kUnknown, kForked, kRunning, kEnded, kJoined };
  static constexpr std::size_t kPageThreads = 4096;
  using ThreadPage = std::array<ThreadState, kPageThreads>;
  struct Hold {
    std::uint32_t exclusive = 0;  // how many times: locks may be recursive
    std::uint32_t shared = 0;
  };
  struct Lock {
    std::unordered_map<ThreadId, Hold> holds;
    std::size_t exclusive_holders = 0;  // more than one only in ill-formed traces
  };
  struct Inside {
    BarrierId barrier{0};
    ThreadId thread{0};
    friend bool operator==(const Inside&, const Inside&) = default;
  };
  struct InsideHash {
    std::size_t operator()(const Inside& i) const {
      return std::hash<std::uint64_t>()((raw(i.barrier) << 24 | raw(i.barrier) >> 40) ^
                                        raw(i.thread));
    }
  };

  void check_thread(const Event& event);
  void check_fields(const Event& event);
  void check_acquire(const Event& event);
  void check_release(const Event& event);
  void check_fork(const Event& event);
  void check_join(const Event& event);
  void check_barrier(const Event& event);
  std::string other_holder(const Lock& lock, ThreadId self, bool exclusive) const;
  bool is_shown(StreamProblem problem) const {
    return count(problem) < options_.reports_per_problem;
  }
  void report(StreamProblem problem, const Event& event, const std::string& detail = {});
  void report_end(StreamProblem problem, const std::string& who, const std::string& detail);
  ThreadState& state(ThreadId thread);
  std::string name(ThreadId thread) const;
  std::string name(LockId lock) const;

  Options options_;
  OnProblem on_problem_;
  const Sources* sources_ = nullptr;  // during add and finish
  std::uint64_t events_ = 0;
  std::vector<std::unique_ptr<ThreadPage>> threads_;  // by number; null: all unknown
  std::unordered_map<LockId, Lock> locks_;            // held ones only
  std::unordered_set<Inside, InsideHash> barriers_;   // entered and not left
  std::array<std::uint32_t, 64> known_sources_{};  // found defined, by low bits: saves the search
  std::array<std::uint64_t, kStreamProblemCount> counts_{};
};

consteval bool stream_problems_in_order() {
  for (std::size_t i = 0; i < kStreamProblems.size(); ++i) {
    if (static_cast<std::size_t>(kStreamProblems[i].problem) != i) return false;
  }
  return true;
}
static_assert(stream_problems_in_order());

}  // namespace redflag
