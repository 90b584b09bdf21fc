#include "frontends/pgas/mpi/attachments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#include "frontends/pgas/exchange/near_window.h"

namespace redflag::pgas::mpi {

Attachments::Attachments(MPI_Comm shadow) {
  PMPI_Comm_rank(shadow, &self_);
  own_ = static_cast<AttachedTable*>(make_window(shadow, sizeof(AttachedTable), &win_));
}

Attachments::~Attachments() {
  PMPI_Win_free(&win_);
}

// Others read it under a shared lock.
template <typename Change>
void Attachments::change(Change with) {
  const std::lock_guard guard(lock_);
  PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, self_, 0, win_);
  with(*own_);
  PMPI_Win_unlock(self_, win_);
  read_.erase(self_);
}

void Attachments::attach(std::uint64_t begin, std::uint64_t size) {
  change([&](AttachedTable& own) { own.attach(begin, begin + size); });
}

void Attachments::detach(std::uint64_t begin) {
  change([&](AttachedTable& own) { own.detach(begin); });
}

void Attachments::read(int target, Read& into) {
  constexpr auto kRegions = static_cast<MPI_Aint>(offsetof(AttachedTable, regions));
  std::array<std::uint64_t, 2> head{};
  PMPI_Win_lock(MPI_LOCK_SHARED, target, 0, win_);
  PMPI_Get(head.data(), sizeof(head), MPI_BYTE, target, 0, sizeof(head), MPI_BYTE, win_);
  PMPI_Win_flush(target, win_);
  into.is_too_small = head[0] != 0;
  into.regions.resize(std::min<std::size_t>(head[1], AttachedTable::kRoom));
  const int bytes = static_cast<int>(into.regions.size() * sizeof(AttachedRegion));
  if (bytes != 0) {
    PMPI_Get(into.regions.data(), bytes, MPI_BYTE, target, kRegions, bytes, MPI_BYTE, win_);
  }
  PMPI_Win_unlock(target, win_);
}

Reach Attachments::reach(int target, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t now = g_calls_that_order.load(std::memory_order_relaxed) + 1;
  const std::lock_guard guard(lock_);
  Read& known = read_[target];
  const auto look = [&] {
    return known.is_too_small ? Reach::kUnknown : reach_of(known.regions, begin, end);
  };
  if (known.at == now && look() == Reach::kAttached) return Reach::kAttached;
  // Also where another thread has read it, in the middle of the call by which this one learned.
  read(target, known);
  known.at = now;
  return look();
}

}  // namespace redflag::pgas::mpi
