// Flags: what whoever waits for a value in its memory learns from the rank that wrote it.
//
// Any write of a word may be a flag, and almost none is: so telling the target of each would cost more
// than the writes. A writer leaves what it knew in a table of its own, in memory that others can read;
// a rank that has waited looks there for who wrote its flag. Then it marks the place: from then on that
// writer tells it (by a message, shmem/state.cpp), and nobody is asked any more. A wait therefore costs
// what there are ranks only until its partners are known.
//
// Places that have the same slot replace each other. Whoever looks for one that was replaced learns
// what the slot's later owner knew: perhaps more than it should, never less, so that nothing is
// reported that is no race.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "frontends/pgas/track/job.h"

namespace redflag::pgas::mpi {

// A word in symmetric memory.
struct FlagPlace {
  std::uint64_t object = 0;
  std::uint64_t offset = 0;
  friend auto operator<=>(const FlagPlace&, const FlagPlace&) = default;
};

struct FlagSeen {
  std::uint32_t from = 0;
  std::uint64_t record = 0;  // which of those to this target; 0: not known
  Knowledge known;
};

class Flags {
 public:
  explicit Flags(MPI_Comm comm);

  // It is about to be: its slot is mostly in no cache.
  void prefetch(int target, const FlagPlace& place) const {
    __builtin_prefetch(&own_->slots[slot_of(static_cast<std::uint32_t>(target), place)], 1);
  }
  // Before the write. True: the target wants to be told.
  bool write(int target, const FlagPlace& place, std::uint64_t record, const Words& words);
  // Behind a wait: what others wrote there and this rank has not seen yet.
  std::vector<FlagSeen> look(const FlagPlace& place);
  // It came by a message: false if it was seen before.
  bool is_new(std::uint32_t from, const FlagPlace& place, std::uint64_t record);

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kRing = std::size_t{1} << 20;
  // Written by its rank, read by all; the version is odd while it is written.
  struct Slot {
    std::uint32_t version;
    std::uint32_t thread;  // of the writer's, that wrote
    FlagPlace place;
    std::uint32_t target;
    std::uint32_t size;  // of what was known of the others, in the ring
    std::uint64_t record;
    std::uint64_t counter;
    std::uint64_t fenced;
    std::uint64_t at;  // bytes since the beginning: the ring has the last kRing of them
  };
  static_assert(sizeof(Slot) == 64);
  struct Table {
    std::uint64_t written;  // bytes into the ring, ever; moved before they are
    std::uint64_t unused[7];
    std::uint8_t marked[kSlots];  // by those who waited
    Slot slots[kSlots];
    std::byte ring[kRing];
  };

  static std::size_t slot_of(std::uint32_t target, const FlagPlace& place);
  void put_into_ring(const Knowledge& others);
  void get(int rank, std::size_t from, void* to, std::size_t size);
  bool read(int rank, std::size_t slot, Slot& to, Knowledge& known);

  MPI_Win window_ = MPI_WIN_NULL;
  Table* own_ = nullptr;
  int rank_ = 0;
  int ranks_ = 0;
  std::shared_ptr<const Knowledge> last_;  // in the ring, at:
  std::uint64_t last_at_ = 0;
  std::uint32_t last_size_ = 0;
  std::map<std::tuple<std::uint32_t, FlagPlace>, std::uint64_t> seen_;  // the last record
};

}  // namespace redflag::pgas::mpi
