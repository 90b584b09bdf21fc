// SharedClocks: what processes that share memory know of each other by atomic operations on it.
//
// A table in memory that they share, too: for each place that an atomic operation wrote, what its writer knew. The place is
// locked from before an operation to behind it, so that whoever sees a value gets what was published with it, and no more.
// As C++ has it: a store that releases replaces what is there, an update adds to it, a store that does not takes it away.
//
// Limits: places are known by their first byte. Of more than kSlots the rest orders nothing, nor do clocks of more threads than
// there is room for: then races may be reported that are none. A process that dies while it has a place locked holds
// others up for a second.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "core/detect/pgas/knowledge.h"
#include "frontends/pgas/track/bytes.h"

namespace redflag::pgas::mpi {

class SharedClocks {
 public:
  struct Key {
    std::uint64_t object = 0;
    std::uint64_t owner = 0;
    std::uint64_t offset = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Slot;

  // Collective, as is its end; among processes of one machine.
  SharedClocks(MPI_Comm near, std::size_t job_size);
  ~SharedClocks();
  SharedClocks(const SharedClocks&) = delete;
  SharedClocks& operator=(const SharedClocks&) = delete;

  // nullptr: there is no room.
  Slot* lock(const Key& key);
  static void unlock(Slot& slot);
  // Of a place that is locked. Each change of what is published has a number of its own.
  static std::uint64_t version(const Slot& slot);
  static Bytes published(const Slot& slot);
  void publish(Slot& slot, const Bytes& known) const;

 private:
  static constexpr std::size_t kSlots = 512;
  Slot& at(std::size_t i) const;

  std::size_t room_ = 0;   // bytes of a clock
  std::size_t apart_ = 0;  // bytes of a slot
  std::byte* slots_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

}  // namespace redflag::pgas::mpi
