#include "frontends/pgas/exchange/shared_clocks.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace redflag::pgas::mpi {

// All zero: nobody's.
struct SharedClocks::Slot {
  std::atomic<std::uint32_t> is_locked;
  std::uint32_t size;  // of what is published
  std::atomic<std::uint32_t> is_taken;
  std::uint32_t unused;
  Key key;
  std::uint64_t version;
  std::byte known[];  // NOLINT(modernize-avoid-c-arrays): as many as there is room for
};

namespace {

constexpr std::size_t kThreadsToCome = 64;  // than one for each rank
constexpr std::chrono::seconds kPatience{1};

void take(std::atomic<std::uint32_t>& is_locked) {
  constexpr int kTurns = 1000;
  std::chrono::steady_clock::time_point until{};
  for (int turn = 0; is_locked.exchange(1, std::memory_order_acquire) != 0; ++turn) {
    if (turn < kTurns) continue;
    const auto now = std::chrono::steady_clock::now();
    if (until == std::chrono::steady_clock::time_point{}) until = now + kPatience;
    if (now > until) return;  // whoever had it is gone
    ::sched_yield();
  }
}

std::size_t hash(const SharedClocks::Key& key) {
  return (key.object * 31 + key.owner) * 131 + key.offset / 4;
}

}  // namespace

SharedClocks::SharedClocks(MPI_Comm near, std::size_t job_size)
    : room_(64 + (job_size + kThreadsToCome) * (sizeof(Knowledge::Known) + sizeof(ThreadName))),
      apart_((sizeof(Slot) + room_ + 63) / 64 * 64) {
  int rank = 0;
  PMPI_Comm_rank(near, &rank);
  void* own = nullptr;
  const auto size = static_cast<MPI_Aint>(rank == 0 ? kSlots * apart_ : 0);
  PMPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, near, static_cast<void*>(&own), &win_);
  MPI_Aint there = 0;
  int unit = 0;
  PMPI_Win_shared_query(win_, 0, &there, &unit, static_cast<void*>(&slots_));
  if (rank == 0) std::memset(slots_, 0, kSlots * apart_);
  PMPI_Barrier(near);
}

SharedClocks::~SharedClocks() {
  PMPI_Win_free(&win_);
}

SharedClocks::Slot& SharedClocks::at(std::size_t i) const {
  return *reinterpret_cast<Slot*>(slots_ + i % kSlots * apart_);
}

SharedClocks::Slot* SharedClocks::lock(const Key& key) {
  const std::size_t first = hash(key);
  for (std::size_t i = first; i < first + kSlots; ++i) {
    Slot& slot = at(i);
    if (slot.is_taken.load(std::memory_order_acquire) != 0 && slot.key != key) continue;
    take(slot.is_locked);
    if (slot.is_taken.load(std::memory_order_relaxed) == 0) {
      slot.key = key;
      slot.is_taken.store(1, std::memory_order_release);
    }
    if (slot.key == key) return &slot;
    unlock(slot);
  }
  return nullptr;
}

void SharedClocks::unlock(Slot& slot) {
  slot.is_locked.store(0, std::memory_order_release);
}

std::uint64_t SharedClocks::version(const Slot& slot) {
  return slot.version;
}

Bytes SharedClocks::published(const Slot& slot) {
  return {slot.known, slot.known + slot.size};
}

void SharedClocks::publish(Slot& slot, const Bytes& known) const {
  slot.size = static_cast<std::uint32_t>(known.size() <= room_ ? known.size() : 0);
  std::copy_n(known.begin(), slot.size, slot.known);
  ++slot.version;
}

}  // namespace redflag::pgas::mpi
