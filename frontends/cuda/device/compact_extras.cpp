#include "frontends/cuda/device/compact_extras.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace redflag::device::compact {

CompactExtras::~CompactExtras() {
  for (const std::uint64_t address : made_) memory_.free(address);
}

std::uint64_t CompactExtras::make(std::uint64_t bytes) {
  Result<std::uint64_t> made = memory_.allocate(bytes);
  if (!made) return 0;
  made_.push_back(*made);
  return *made;
}
template <typename T>
void CompactExtras::tell(std::size_t at, const T& value) {
  memory_.write(state_ + at, std::as_bytes(std::span(&value, 1)));
}

void CompactExtras::prepare(const gpu::Launch& launch) {
  if (state_ == 0) return;
  const bool allocates = !launch.sync.known || launch.sync.has(gpu::SyncOp::kAllocation);
  const bool has_clusters = launch.cluster.count() > 1;
  if (allocates) prepare_heap();
  if (has_clusters) prepare_clusters();
  if (copies(launch)) prepare_copies();
  prepare_tables();
  const bool lacks = (allocates && spares_ == 0) || (has_clusters && !has_cluster_lines(launch)) ||
                     (copies(launch) && copies_ == 0);
  lacking_ += lacks ? 1 : 0;
}

// Kernels that allocate need lines where nobody can tell beforehand.
void CompactExtras::prepare_heap() {
  if (spares_ != 0) return;
  spares_ = make(sizes_.heap_pages * kSpareBytes);
  if (spares_ == 0) return;
  tell(offsetof(State, allocations), make(sizes_.allocations * sizeof(Allocation)));
  tell(offsetof(State, spares), spares_);
  tell(offsetof(State, allocation_count), sizes_.allocations);
  tell(offsetof(State, spare_count), sizes_.heap_pages);
}

// Shared memory that blocks of a cluster have in common is told by lines, too.
void CompactExtras::prepare_clusters() {
  if (clusters_ != 0) return;
  clusters_ = make(std::uint64_t{sizes_.cluster_lines} * sizeof(Line));
  if (clusters_ == 0) return;
  tell(offsetof(State, cluster_lines), clusters_);
  tell(offsetof(State, cluster_line_count), sizes_.cluster_lines);
}
// Blocks that are resident together must not share lines.
bool CompactExtras::has_cluster_lines(const gpu::Launch& launch) const {
  constexpr std::uint64_t kMostResident = 8192;
  const std::uint64_t of_block =
      (launch.shared_bytes + sizeof(Block) + kReservedShared) / gpu::compact::kLineBytes + 2;
  return clusters_ != 0 && sizes_.cluster_lines / of_block >=
                               std::min<std::uint64_t>(launch.grid.count(), kMostResident);
}

void CompactExtras::prepare_copies() {
  if (copies_ != 0) return;
  copies_ = make(std::uint64_t{sizes_.copying_threads} * sizeof(Copies));
  if (copies_ == 0) return;
  tell(offsetof(State, copies), copies_);
  tell(offsetof(State, copies_count), sizes_.copying_threads);
}

void CompactExtras::prepare_tables() {
  if (tables_ != 0) return;
  tables_ = make(kTables * sizeof(AllocationTable));
  tell(offsetof(State, tables), tables_);
}

// All pages of the heap give their lines back.
void CompactExtras::begin_again() {
  if (clusters_ != 0) {
    memory_.clear(clusters_, std::uint64_t{sizes_.cluster_lines} * sizeof(Line));
  }
  if (spares_ == 0) return;
  const std::uint64_t bytes = sizes_.heap_pages * kSpareBytes;
  pages_.forget(spares_, spares_ + bytes);
  memory_.clear(spares_, bytes);
  tell(offsetof(State, next_spare), std::uint32_t{0});
}

}  // namespace redflag::device::compact
