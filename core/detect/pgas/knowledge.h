// Knowledge: what a thread of a distributed job knows of the times of all others.
//
// A vector clock of a job of 100,000 ranks would be longer than most messages. But a barrier of all
// makes everybody's past known to everybody: so a time is a phase, which barriers of all count, and a
// counter of its thread, and knowledge is the phase plus those few threads of which more is known. Its
// size is that of the communication since the last barrier, not that of the job.
//
// A barrier is called by one thread of each rank, and says nothing of those others of its rank that
// the caller does not know the last steps of. These are the exceptions of the phase, mostly none:
// they are known one by one, by their counters.
//
// A lock that passes from one thread to another makes the first one's past known in this run; another run
// may pass it the other way round. What is known by other means than locks, and so in every run that takes the
// same branches, is the second counter of a thread: `certain`. predicted.h needs it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/detect/pgas/rank_locks.h"

namespace redflag::pgas {

struct Time {
  std::uint32_t phase = 0;    // of its rank, whether or not its thread knew of it
  std::uint64_t counter = 0;  // grows with every step of its thread that orders anything
  friend bool operator==(const Time&, const Time&) = default;
  friend auto operator<=>(const Time&, const Time&) = default;
};

struct ThreadName {
  std::uint32_t rank = 0;
  std::uint32_t index = 0;  // within the rank
  friend auto operator<=>(const ThreadName&, const ThreadName&) = default;
};

// A thread that there is none of: "what this rank's fences have ordered towards that one". No phase
// says anything of it.
inline constexpr std::uint32_t kDelivery = 1U << 31;
constexpr ThreadName delivery(std::uint32_t from, std::uint32_t to) {
  return {from, kDelivery | to};
}

class Knowledge {
 public:
  struct Known {
    ThreadName thread;
    std::uint64_t counter = 0;
    std::uint64_t certain = 0;  // without locks; not above counter
    friend bool operator==(const Known&, const Known&) = default;
  };
  static_assert(sizeof(Known) == 24);

  std::uint32_t phase() const { return phase_; }
  const std::vector<Known>& known() const { return known_; }
  const std::vector<ThreadName>& exceptions() const { return exceptions_; }
  const RankLocks& held() const { return held_; }

  // All that the thread had done at that time?
  bool knows(ThreadName thread, Time time) const {
    return is_of_the_past(thread, time) || counter_of(thread) >= time.counter;
  }
  // The same, whoever takes which lock first.
  bool knows_for_certain(ThreadName thread, Time time) const {
    if (is_of_the_past(thread, time)) return true;
    const auto at = place(thread);
    return at != known_.end() && at->thread == thread && at->certain >= time.counter;
  }
  // 0: nothing but what the phase says.
  std::uint64_t counter_of(ThreadName thread) const {
    const auto at = place(thread);
    return at != known_.end() && at->thread == thread ? at->counter : 0;
  }

  void learn(ThreadName thread, std::uint64_t counter) { learn({thread, counter, counter}); }
  void learn(const Known& one) {
    const auto at = known_.begin() + (place(one.thread) - known_.begin());
    if (at != known_.end() && at->thread == one.thread) {
      at->counter = std::max(at->counter, one.counter);
      at->certain = std::max(at->certain, one.certain);
    } else if (one.counter != 0) {
      known_.insert(at, one);
    }
  }

  void join(const Knowledge& other) {
    if (other.phase_ > phase_) enter(other.phase_, other.exceptions_);
    for (const Known& each : other.known_) learn(each);
  }
  // By a lock that the other gave up. (A phase that one learns of in this way is one that another
  // thread of the own rank was in: it counts as certain.)
  void join_by_lock(const Knowledge& other) {
    if (other.phase_ > phase_) enter(other.phase_, other.exceptions_);
    for (const Known& each : other.known_) learn({each.thread, each.counter, 0});
  }

  // The same whoever takes which lock first.
  Knowledge only_certain() const {
    Knowledge made = *this;
    for (Known& each : made.known_) each.counter = each.certain;
    return made;
  }

  // What is held is not passed on by join().
  void hold(const RankLock& lock) { held_.push_back(lock); }
  void let_go(const RankLock& lock) {
    const auto at = std::find(held_.begin(), held_.end(), lock);
    if (at != held_.end()) held_.erase(at);
  }
  void hold_none() { held_.clear(); }

  // A barrier of all led here: what it makes known needs no entry any more. `exceptions`, in order:
  // threads that their rank's caller did not know the last steps of.
  void enter(std::uint32_t phase, std::vector<ThreadName> exceptions = {}) {
    phase_ = phase;
    exceptions_ = std::move(exceptions);
    std::erase_if(known_, [&](const Known& each) { return !is_exception(each.thread); });
  }

  friend bool operator==(const Knowledge&, const Knowledge&) = default;

 private:
  bool is_of_the_past(ThreadName thread, Time time) const {
    return time.phase < phase_ && !is_exception(thread);
  }
  bool is_exception(ThreadName thread) const {
    return thread.index >= kDelivery ||
           std::binary_search(exceptions_.begin(), exceptions_.end(), thread);
  }
  std::vector<Known>::const_iterator place(ThreadName thread) const {
    return std::lower_bound(known_.begin(), known_.end(), thread,
                            [](const Known& k, ThreadName t) { return k.thread < t; });
  }

  std::uint32_t phase_ = 0;
  std::vector<Known> known_;            // by thread; only what the phase does not say
  std::vector<ThreadName> exceptions_;  // of the phase, in order
  RankLocks held_;                      // by the rank, now
};

}  // namespace redflag::pgas
