// Knowledge: what a thread of a distributed job knows of the times of all others.
//
// A vector clock of a job of 100,000 ranks would be longer than most messages. But a barrier of all
// makes everybody's past known to everybody: so a time is a phase, which barriers of all count, and a
// counter within it, and knowledge is the phase plus those few threads of which more is known. Its
// size is that of the communication since the last barrier, not that of the job.
//
// Threads besides the one that calls the barriers (index 0) are ordered with it only by the rank's own
// synchronisation, so a phase says nothing of them: they are known one by one.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace redflag::pgas {

// Phase in the upper half, counter in the lower.
using Time = std::uint64_t;
inline constexpr unsigned kPhaseShift = 32;
constexpr Time begin_of(std::uint32_t phase) {
  return Time{phase} << kPhaseShift;
}

struct ThreadName {
  std::uint32_t rank = 0;
  std::uint32_t index = 0;  // within the rank; 0: the one that calls barriers of all
  friend auto operator<=>(const ThreadName&, const ThreadName&) = default;
};

class Knowledge {
 public:
  struct Known {
    ThreadName thread;
    Time time = 0;
    friend bool operator==(const Known&, const Known&) = default;
  };

  std::uint32_t phase() const { return phase_; }
  std::size_t size() const { return known_.size(); }
  const std::vector<Known>& known() const { return known_; }

  Time of(ThreadName thread) const {
    const auto at = place(thread);
    const Time by_phase = thread.index == 0 ? begin_of(phase_) : 0;
    return at != known_.end() && at->thread == thread ? std::max(at->time, by_phase) : by_phase;
  }

  void learn(ThreadName thread, Time time) {
    if (of(thread) >= time) return;
    const auto at = known_.begin() + (place(thread) - known_.begin());
    if (at != known_.end() && at->thread == thread) {
      at->time = time;
    } else {
      known_.insert(at, {thread, time});
    }
  }

  void join(const Knowledge& other) {
    if (other.phase_ > phase_) enter(other.phase_);
    for (const Known& each : other.known_) learn(each.thread, each.time);
  }

  // A barrier of all led here: what it makes known needs no entry any more.
  void enter(std::uint32_t phase) {
    phase_ = phase;
    std::erase_if(known_, [&](const Known& each) {
      return each.thread.index == 0 && each.time <= begin_of(phase);
    });
  }

  friend bool operator==(const Knowledge&, const Knowledge&) = default;

 private:
  std::vector<Known>::const_iterator place(ThreadName thread) const {
    return std::lower_bound(known_.begin(), known_.end(), thread,
                            [](const Known& k, ThreadName t) { return k.thread < t; });
  }

  std::uint32_t phase_ = 0;
  std::vector<Known> known_;  // by thread; only what the phase does not say
};

}  // namespace redflag::pgas
