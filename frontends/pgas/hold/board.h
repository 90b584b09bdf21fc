// Board: what this process does with the common board of `redflag confirm` (wire/hold.h) for its operations.
//
// libredflag does the same for threads (frontends/cpu/rt/hold.cpp); programs that are not instrumented do not
// have it, so this stands by itself. An operation is on the board from its issue to its completion.
// Whoever comes to the other side of its pair meanwhile, with bytes that overlap and one of the two
// writing, has met it: a thread that is about to load or store, or another operation.
//
// Atomic operations count as plain writes and reads here: whether they exclude each other is the
// detector's business, without whose word nothing is confirmed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "frontends/cpu/wire/hold.h"
#include "frontends/cpu/wire/hold_touch.h"
#include "frontends/pgas/hold/code.h"

namespace redflag::pgas::hold {

// One piece of memory that an operation reads or writes.
struct Touched {
  std::uint64_t space = 0;  // the owner's process
  wire::HoldMemory memory{};
  bool writes = false;
};

// An operation that has come to a statement.
struct Coming {
  Sides sides = 0;
  std::array<std::uint32_t, wire::kHoldSides> arrival{};  // of this rank, at each of the sides
};

class Board {
 public:
  using Slot = wire::HoldSlot;

  // nullptr: not under `redflag confirm`, or the board cannot be opened from here.
  static std::unique_ptr<Board> open(const char* path);
  // For tests: owned by the caller.
  Board(wire::HoldBoard& shared, std::uint32_t process) : shared_(shared), process_(process) {}

  // What a rank that waits here does for the others meanwhile: their calls may need its library.
  void set_progress(std::function<void()> progress) { progress_ = std::move(progress); }
  void set_rank(std::uint32_t rank) { thread_ = wire::kHoldOperation | (rank + 1) << 16; }
  std::uint32_t process() const { return process_; }
  const wire::HoldBoard& shared() const { return shared_; }

  // Meets who is there already. All of one operation are looked for before any is posted, so that it
  // does not meet itself.
  void meet(const Coming& coming, std::span<const Touched> touched);
  // nullptr: there is no room, or all of its pairs have met.
  Slot* post(const Coming& coming, const Touched& touched);
  void take_back(Slot* slot);

  // Counts the arrival, and remembers its memory for later runs.
  struct Worth {
    bool posted =
        false;          // in this run only those are that an earlier one found near the other side
    bool held = false;  // before it is completed
  };
  Worth arrive(const Coming& coming, std::span<const Touched> touched);
  // Waits until all of these have met somebody, as long as a hold lasts in this run. `sides`: of all.
  void wait(std::span<Slot* const> slots, Sides sides);

  wire::HoldDefer defer(Sides sides) const;
  // Before a lock is taken, in runs that try what locks put in order: about half of the ranks, others in each run,
  // wait as long as a hold lasts, so that locks are taken in another order.
  void let_others_lock();

 private:
  class Guard;

  Sides not_met(Sides sides) const;
  wire::HoldComing named(const Coming& coming, const Touched& touched) const;
  bool is_hinted(const wire::HoldSide& side, std::uint32_t count) const;
  void note_meeting(const Coming& coming, const Touched& touched, const Slot& other,
                    std::uint32_t met);
  void count_hold(Sides sides, bool in_vain);

  wire::HoldBoard& shared_;
  std::uint32_t process_;
  std::uint32_t thread_ = wire::kHoldOperation;
  std::function<void()> progress_;
};

}  // namespace redflag::pgas::hold
