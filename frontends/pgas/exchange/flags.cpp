#include "frontends/pgas/exchange/flags.h"

#include <atomic>
#include <cstddef>
#include <cstring>

#include "frontends/pgas/exchange/mpi_transport.h"
#include "frontends/pgas/exchange/near_window.h"

namespace redflag::pgas::mpi {
namespace {

constexpr int kLooksAtSlot = 100;  // to read a slot that is being written

}

Flags::Flags(MPI_Comm comm) {
  own_ = static_cast<Table*>(make_window(comm, sizeof(Table), &window_));
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &ranks_);
  PMPI_Win_lock_all(0, window_);
}

std::size_t Flags::slot_of(std::uint32_t target, const FlagPlace& place) {
  const std::uint64_t key = (place.object * 1000003 + place.offset / 4) * 31 + target;
  return key * 0x9e3779b97f4a7c15U >> 52;
}

void Flags::put_into_ring(const Knowledge& others) {
  const Bytes bytes = bytes_of(others);
  // Pieces that would be in two are put behind the end; one that has no room at all is not kept.
  std::uint64_t at = own_->written;
  if (at % kRing + bytes.size() > kRing) at += kRing - at % kRing;
  last_at_ = at;
  last_size_ = bytes.size() > kRing ? 0 : static_cast<std::uint32_t>(bytes.size());
  std::atomic_ref(own_->written).store(at + last_size_, std::memory_order_seq_cst);
  if (last_size_ != 0) std::memcpy(own_->ring + at % kRing, bytes.data(), last_size_);
}

bool Flags::write(int target, const FlagPlace& place, std::uint64_t record, const Words& words) {
  if (words.others != last_) {
    put_into_ring(*words.others);
    last_ = words.others;
  }
  const std::size_t i = slot_of(static_cast<std::uint32_t>(target), place);
  Slot& slot = own_->slots[i];
  std::atomic_ref version(slot.version);
  const std::uint32_t before = version.load(std::memory_order_relaxed);
  version.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.thread = words.self.index;
  slot.place = place;
  slot.target = static_cast<std::uint32_t>(target);
  slot.size = last_size_;
  slot.record = record;
  slot.counter = words.counter;
  slot.fenced = words.fenced;
  slot.at = last_at_;
  version.store(before + 2, std::memory_order_release);
  return std::atomic_ref(own_->marked[i]).load(std::memory_order_relaxed) != 0;
}

void Flags::get(int rank, std::size_t from, void* to, std::size_t size) {
  PMPI_Get(to, static_cast<int>(size), MPI_BYTE, rank, static_cast<MPI_Aint>(from),
           static_cast<int>(size), MPI_BYTE, window_);
  PMPI_Win_flush(rank, window_);
}

// False: nothing was ever written there.
bool Flags::read(int rank, std::size_t slot, Slot& to, Knowledge& known) {
  const std::size_t place = offsetof(Table, slots) + slot * sizeof(Slot);
  Bytes bytes;
  for (int i = 0; i < kLooksAtSlot; ++i) {
    get(rank, place, &to, sizeof(to));
    if (to.version == 0) return false;
    if (to.version % 2 != 0 || to.size > kRing) continue;
    bytes.resize(to.size);
    if (to.size != 0) get(rank, offsetof(Table, ring) + to.at % kRing, bytes.data(), to.size);
    std::uint64_t written = 0;
    get(rank, offsetof(Table, written), &written, sizeof(written));
    std::uint32_t version = 0;
    get(rank, place, &version, sizeof(version));
    if (version != to.version || written - to.at > kRing) continue;
    if (!bytes.empty()) known = knowledge_of(bytes);
    known.learn({static_cast<std::uint32_t>(rank), to.thread}, to.counter);
    if (to.fenced != 0)
      known.learn(delivery(static_cast<std::uint32_t>(rank), to.target), to.fenced);
    return true;
  }
  return false;
}

std::vector<FlagSeen> Flags::look(const FlagPlace& place) {
  std::vector<FlagSeen> found;
  std::vector<FlagSeen> replaced;
  bool is_there = false;
  const std::size_t i = slot_of(static_cast<std::uint32_t>(rank_), place);
  for (int rank = 0; rank < ranks_; ++rank) {
    Slot slot;
    Knowledge known;
    if (rank == rank_ || !read(rank, i, slot, known)) continue;
    const auto from = static_cast<std::uint32_t>(rank);
    if (slot.place != place || slot.target != static_cast<std::uint32_t>(rank_)) {
      replaced.push_back({from, 0, std::move(known)});
      continue;
    }
    is_there = true;
    if (!is_new(from, place, slot.record)) continue;
    found.push_back({from, slot.record, std::move(known)});
    const std::uint8_t mark = 1;
    PMPI_Put(&mark, 1, MPI_BYTE, rank, static_cast<MPI_Aint>(offsetof(Table, marked) + i), 1,
             MPI_BYTE, window_);
    PMPI_Win_flush(rank, window_);
  }
  return is_there ? found : replaced;
}

bool Flags::is_new(std::uint32_t from, const FlagPlace& place, std::uint64_t record) {
  std::uint64_t& last = seen_[{from, place}];
  if (record <= last) return false;
  last = record;
  return true;
}

}  // namespace redflag::pgas::mpi
