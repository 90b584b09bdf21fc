#include "core/live/shadow.h"

namespace redflag::live {
namespace {
constexpr std::size_t kCellBytes = kRegionCells * sizeof(Cell) + kOsPage;
constexpr std::size_t kOwnerBytes = kRegionBlocks * sizeof(Owner);
}  // namespace

Cell& Shadow::make(std::uint64_t addr) {
  const std::size_t i = addr >> kRegionShift;
  if (i >= kRegions) {
    // Not a user address: the program is about to fault on it. Any cell will do.
    return make(0);
  }
  // One page more: a 16-byte access at the very end looks at the next cell.
  auto* cells = static_cast<char*>(os_map(kCellBytes + kOwnerBytes));
  // One thread makes the region; whoever comes second waits for its directory entry.
  std::uintptr_t expected = 0;
  const auto owners = reinterpret_cast<std::uintptr_t>(cells + kCellBytes) - i * kOwnerBytes;
  if (owners_[i].compare_exchange_strong(expected, owners, std::memory_order_acq_rel)) {
    directory[i].store(reinterpret_cast<std::uintptr_t>(cells) - i * kRegionCells * sizeof(Cell),
                       std::memory_order_release);
    const std::uint32_t n = used_.fetch_add(1, std::memory_order_acq_rel);
    if (n < 4096) regions_[n].store(static_cast<std::uint32_t>(i), std::memory_order_release);
  } else {
    os_unmap(cells, kCellBytes + kOwnerBytes);
    while (find(addr) == nullptr) os_yield();
  }
  return *find(addr);
}

void Shadow::clear(std::uint64_t addr, std::uint64_t size) {
  constexpr std::uint64_t kWorthDiscarding = 32 * kOsPage;  // of shadow: cheaper than storing zeros
  std::uint64_t at = addr / kGranule * kGranule;
  const std::uint64_t end = addr + size;
  while (at < end) {
    const std::uint64_t region_end = (at / kRegionBytes + 1) * kRegionBytes;
    const std::uint64_t stop = end < region_end ? end : region_end;
    if (Cell* cell = find(at); cell != nullptr) {
      Cell* last = cell + (stop - at + kGranule - 1) / kGranule;
      const auto first_page = (reinterpret_cast<std::uintptr_t>(cell) + kOsPage - 1) / kOsPage;
      const auto last_page = reinterpret_cast<std::uintptr_t>(last) / kOsPage;
      if (last_page > first_page && (last_page - first_page) * kOsPage >= kWorthDiscarding) {
        auto* middle = reinterpret_cast<Cell*>(first_page * kOsPage);
        auto* tail = reinterpret_cast<Cell*>(last_page * kOsPage);
        for (; cell < middle; ++cell) cell->store(0, std::memory_order_relaxed);
        os_discard(middle, (last_page - first_page) * kOsPage);
        cell = tail;
      }
      for (; cell < last; ++cell) {
        if (cell->load(std::memory_order_relaxed) != 0) cell->store(0, std::memory_order_relaxed);
      }
    }
    at = stop;
  }
}

std::size_t Shadow::resident_bytes() {
  std::size_t pages = 0;
  for_each_resident([&](Cell*, std::size_t, std::uint64_t) { ++pages; });
  return pages * kOsPage;
}

void Shadow::destroy() {
  const std::uint32_t n = used_.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < n && k < 4096; ++k) {
    os_unmap(region(regions_[k].load(std::memory_order_relaxed)), kCellBytes + kOwnerBytes);
  }
}

}  // namespace redflag::live
