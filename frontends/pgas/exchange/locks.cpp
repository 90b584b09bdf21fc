#include "frontends/pgas/exchange/locks.h"

#include <algorithm>

#include "frontends/pgas/exchange/mpi_transport.h"
#include "frontends/pgas/exchange/near_window.h"

namespace redflag::pgas::mpi {
namespace {

// A slot: the sizes of its halves, then the halves.
struct Sizes {
  std::uint64_t exclusive = 0;
  std::uint64_t shared = 0;
};

constexpr std::size_t kMoreThreads = 64;  // than one for each rank

}  // namespace

Locks::Locks(MPI_Comm shadow, std::size_t job_size)
    : room_(64 + (job_size + kMoreThreads) * (sizeof(Knowledge::Known) + sizeof(ThreadName))) {
  make_window(shadow, 64, &order_);
  make_window(shadow, sizeof(Sizes) + 2 * room_, &slots_);
}

Locks::~Locks() {
  PMPI_Win_free(&order_);
  PMPI_Win_free(&slots_);
}

Locks::Slot Locks::read(int target) {
  Sizes sizes;
  PMPI_Get(&sizes, sizeof(sizes), MPI_BYTE, target, 0, sizeof(sizes), MPI_BYTE, slots_);
  PMPI_Win_flush(target, slots_);
  Slot slot;
  slot.exclusive.resize(std::min<std::size_t>(sizes.exclusive, room_));
  slot.shared.resize(std::min<std::size_t>(sizes.shared, room_));
  const auto get = [&](Bytes& to, std::size_t from) {
    if (to.empty()) return;
    PMPI_Get(to.data(), static_cast<int>(to.size()), MPI_BYTE, target, static_cast<MPI_Aint>(from),
             static_cast<int>(to.size()), MPI_BYTE, slots_);
  };
  get(slot.exclusive, sizeof(Sizes));
  get(slot.shared, sizeof(Sizes) + room_);
  PMPI_Win_flush(target, slots_);
  return slot;
}

void Locks::write(int target, const Slot& slot) {
  const Sizes sizes{slot.exclusive.size(), slot.shared.size()};
  const auto put = [&](const void* from, std::size_t size, std::size_t to) {
    if (size == 0) return;
    PMPI_Put(from, static_cast<int>(size), MPI_BYTE, target, static_cast<MPI_Aint>(to),
             static_cast<int>(size), MPI_BYTE, slots_);
  };
  put(slot.exclusive.data(), slot.exclusive.size(), sizeof(Sizes));
  put(slot.shared.data(), slot.shared.size(), sizeof(Sizes) + room_);
  put(&sizes, sizeof(sizes), 0);
  PMPI_Win_flush(target, slots_);
}

void Locks::take(int target, bool exclusive) {
  PMPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, order_);
  char byte = 0;
  PMPI_Get(&byte, 1, MPI_BYTE, target, 0, 1, MPI_BYTE, order_);
  PMPI_Win_flush(target, order_);
  held_[target] = exclusive;
}

void Locks::give_up(int target) {
  PMPI_Win_unlock(target, order_);
  held_.erase(target);
}

Knowledge Locks::learn(int target, bool exclusive) {
  PMPI_Win_lock(MPI_LOCK_SHARED, target, 0, slots_);
  const Slot slot = read(target);
  PMPI_Win_unlock(target, slots_);
  Knowledge known;
  if (!slot.exclusive.empty()) known.join(knowledge_of(slot.exclusive));
  if (exclusive && !slot.shared.empty()) known.join(knowledge_of(slot.shared));
  return known;
}

void Locks::leave(int target, bool exclusive, const Knowledge& known) {
  PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, slots_);
  Slot slot;
  if (exclusive) {
    slot.exclusive = bytes_of(known);
  } else {
    slot = read(target);
    Knowledge joined = known;
    if (!slot.shared.empty()) joined.join(knowledge_of(slot.shared));
    slot.shared = bytes_of(joined);
  }
  // More threads than were thought of: those who come next know less than they could.
  if (slot.exclusive.size() > room_) slot.exclusive.clear();
  if (slot.shared.size() > room_) slot.shared.clear();
  write(target, slot);
  PMPI_Win_unlock(target, slots_);
}

}  // namespace redflag::pgas::mpi
