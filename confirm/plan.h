// Plan: which pairs to try in which run, how, and what came of it.
//
// Every pair has the same number of runs. In the first half of them several pairs are tried together, since
// most real races show at the first attempt; a thread that is held for one pair delays the others, so
// in the second half each has its runs alone. From attempt to attempt the way changes: both statements
// hold, or only one of them (when both do, a thread may be held at the wrong one and never reach the
// right one); and every fourth time threads are held twice as long. What a run learned, the arrivals at
// which the other side came near, is told to the next.
//
// Some races cannot be brought together by any schedule: when an atomic operation that is too weak, such
// as a relaxed store, passes between the two accesses, they are in an order on this machine, and unordered
// by the rules of the language. A precise detector that watches the runs says of such a pair that
// nothing orders it (Outcome::unordered). If it says so no longer in runs in which all atomics count as sequentially
// consistent, while both statements are reached on the same memory, then the weak order is the whole
// reason that they do not meet, and this is evidence as well. A pair that is unordered
// even then should have met: something that the detector does not see may order it, and it stays unconfirmed.
//
// Jobs of one-sided programs (PlanOptions::is_job) have operations that are pending while their thread goes on. Where the
// runs differ for threads in who is held, they differ here in when the library gets to see an operation, too.
//
// Pure; the frontend makes the runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace redflag::confirm {

// The how-manieth time that a thread, by its number, came to a statement.
struct Arrival {
  std::uint32_t thread = 0;
  std::uint32_t count = 0;

  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// One-sided operations at a statement: when the library is called for them.
enum class Defer : std::uint8_t {
  kAtOnce,    // where the program calls it
  kLater,     // when they have to be complete
  kReversed,  // then, and of several the last first
};

struct Attempt {
  std::size_t pair = 0;
  std::array<bool, 2> held{true, true};
  bool only_hints = false;  // where a side has hints, nothing else is held
  std::array<std::vector<Arrival>, 2> hints;
  Defer defer = Defer::kAtOnce;

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

struct Trial {
  std::vector<Attempt> attempts;
  std::uint32_t patience = 0;  // milliseconds that a thread is held
  std::uint32_t budget = 0;    // milliseconds of all holds together
  std::uint64_t seed = 0;
  bool strong = false;  // nobody is held, and all atomics count as sequentially consistent
};

// Of one attempt.
struct Outcome {
  bool met = false;
  bool unordered = false;         // the detector says so
  std::array<bool, 2> reached{};  // some thread came to the statement
  std::array<std::vector<Arrival>, 2> learned;
  // When they met: who it was, and the bytes that each was about to touch, in the owner's memory.
  struct Place {
    Arrival arrival;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::array<Place, 2> places;
};

struct PlanOptions {
  std::uint32_t runs = 20;
  std::uint32_t patience = 40;  // milliseconds, at first
  std::uint32_t together = 8;   // pairs of one run at most
  // Of one-sided operations: they are deferred in two of three runs, and are pending together as long as
  // the program leaves them so; that nothing orders them is for the detector to say in the same run.
  bool is_job = false;
};

class Plan {
 public:
  struct State {
    std::uint32_t tried = 0;
    std::uint32_t confirmed_in = 0;  // the how-manieth; 0: not
    std::uint32_t unordered_in = 0;  // the same of what the detector said
    std::uint32_t strong_tried = 0;
    bool strong_unordered = false;
    bool strong_near = false;  // both statements were reached, on the same memory
    bool is_weak() const;      // confirmed by what weak atomics allow
    std::array<bool, 2> reached{};
    std::array<std::vector<Arrival>, 2> hints;
  };

  Plan(std::size_t pairs, const PlanOptions& options) : options_(options), states_(pairs) {}

  std::optional<Trial> next();  // nothing: all is done
  // In the order of the trial's attempts.
  void record(const Trial& trial, const std::vector<Outcome>& outcomes);

  // A run did not end in which operations were deferred: the program cannot do with that.
  void stop_deferring() { may_defer_ = false; }

  const std::vector<State>& states() const { return states_; }
  std::uint32_t runs_made() const { return made_; }

 private:
  bool is_open(const State& state) const {
    return state.confirmed_in == 0 && state.tried < options_.runs && !state.is_weak();
  }
  bool wants_strong(const State& state) const;
  std::optional<Trial> next_strong();
  Attempt attempt(std::size_t pair) const;

  PlanOptions options_;
  std::vector<State> states_;
  std::uint32_t made_ = 0;
  bool may_defer_ = true;
};

}  // namespace redflag::confirm
