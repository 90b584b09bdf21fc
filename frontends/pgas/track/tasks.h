// Tasks: the threads of this rank, with their clocks.
//
// What orders threads within a rank is known to the CPU runtime; what a thread learned from other
// ranks, only here. A task therefore publishes what it knows whenever it learned something, with its
// epoch; a thread that the runtime says knows that epoch knows all that was published up to it. So no
// lock, join or atomic of the program costs anything here: its effect is looked up when the thread
// makes its next step that matters between ranks.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/detect/pgas/claims.h"
#include "core/detect/pgas/thread_clock.h"
#include "frontends/pgas/track/runtime.h"

namespace redflag::pgas {

class Task {
 public:
  explicit Task(ThreadName name) : clock(name) {}

  ThreadClock clock;
  // What it knew from which counter on; ascending.
  struct Published {
    std::uint64_t from = 0;
    std::shared_ptr<const Knowledge> known;
  };
  std::vector<Published> published;
  Time last_step;                   // of the last access or operation
  std::vector<std::uint64_t> seen;  // counters of the others, when it was last looked
  std::uint64_t told = 0;           // what it did up to there is in batches, or was sent
};

class Tasks {
 public:
  Tasks(std::uint32_t rank, const abi::WatchTable* runtime) : rank_(rank), runtime_(runtime) {}

  // The calling thread as it is now; `thread` nullptr: the one that stands for those not followed.
  Task& now(void* thread);
  // The one that made accesses at that moment, which the calling thread takes in.
  Task& then(const abi::WatchedMoment& moment, void* thread);

  // What accesses are stamped with from now on.
  std::uint32_t phase = 0;
  Time time_of(const Task& task) const { return {phase, task.clock.time().counter}; }
  void stepped(Task& task) const { task.last_step = std::max(task.last_step, time_of(task)); }

  // The calling thread has issued an operation: what it loads and stores from now on is told apart from
  // what it did before. A thread that is alone takes a step only when it does.
  void issued(Task& task, void* thread);
  // Steps of the calling thread. Each is followed by a new epoch, so that accesses behind it are told
  // apart from those before.
  void advance(Task& task, void* thread);
  // It learned something from another rank.
  void publish(Task& task);

  // The rank takes or gives up a lock: all its threads have it.
  void hold(const RankLock& lock);
  void let_go(const RankLock& lock);

  // Those of whose last steps `task` does not know.
  std::vector<ThreadName> unknown_to(const Task& task) const;
  // What this rank may claim once all its records have been told of. Threads of whose last steps `task`
  // knows are taken to know what it does: they have ended, or wait for it.
  Claim claim(const Task& task, bool for_certain);

 private:
  Task& of_slot(std::uint32_t slot);
  Task& at(const abi::WatchedMoment& moment);

  std::uint32_t rank_;
  const abi::WatchTable* runtime_;
  std::vector<std::unique_ptr<Task>> tasks_;
  RankLocks held_;
};

}  // namespace redflag::pgas
