// Locks of a window: who held them before, and what those knew.
//
// MPI_Win_lock orders epochs, but carries nothing of ours, and may return before the lock is held. So
// beside each window there are two of ours. One is locked around the program's own lock, and forced to
// be held: it gives the order, and since it is taken first and given up last, nobody waits for the one
// while holding the other. The second has a slot at each rank: what those who gave up the lock of that
// rank knew, the last exclusive one and the shared ones since, joined. It is locked for a moment only.
//
// MPI_Win_lock_all takes no lock of ours, since it would be one for each rank: its slots are read when a
// target is first used. Where the library is late to take such a lock, an exclusive holder's last words
// may be missed.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "core/detect/pgas/knowledge.h"
#include "frontends/pgas/track/bytes.h"

namespace redflag::pgas::mpi {

class Locks {
 public:
  Locks(MPI_Comm shadow, std::size_t job_size);
  ~Locks();
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;

  // Around the real lock and unlock.
  void take(int target, bool exclusive);
  void give_up(int target);
  // While it is held: what whoever took it learns, and what it leaves to the next.
  Knowledge learn(int target, bool exclusive);
  void leave(int target, bool exclusive, const Knowledge& known);

  bool holds(int target) const { return held_.contains(target); }
  bool is_exclusive(int target) const { return held_.at(target); }

  // Under MPI_Win_lock_all: the targets that were used.
  bool holds_all = false;
  std::set<int> used;
  bool is_first_use(int target) {
    int& recent = recent_[static_cast<std::size_t>(target) % recent_.size()];
    if (recent == target + 1) return false;
    recent = target + 1;
    return used.insert(target).second;
  }
  void forget_used() {
    used.clear();
    recent_.fill(0);
  }

 private:
  struct Slot {
    Bytes exclusive;
    Bytes shared;
  };
  Slot read(int target);
  void write(int target, const Slot& slot);

  MPI_Win order_ = MPI_WIN_NULL;
  MPI_Win slots_ = MPI_WIN_NULL;
  std::size_t room_ = 0;          // bytes of one half of a slot
  std::map<int, bool> held_;      // by target: exclusive?
  std::array<int, 16> recent_{};  // of `used`, + 1
};

}  // namespace redflag::pgas::mpi
