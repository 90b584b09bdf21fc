// compact on the host: cells at fixed places, flat (core/detect/gpu/compact/flat.h) for allocations that kernels only store
// to, or direct (direct.h).
//
// Two bytes, or four, for each byte of such an allocation, made when a launch first needs them, for pages of 2 MiB, and given back when
// the allocation is freed. All metadata together stays within twice the program's memory; what does not fit has no
// cells, and its kernels are told of by lines. Launches have stamps of their own, so that cells are cleared
// once in 63, or 15, launches that use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

// Which cells.
struct CellLayout {
  std::size_t table_at = 0;      // in State: the table's address, then its region
  std::uint64_t page_bytes = 0;  // for each page
  std::uint32_t last_stamp = 0;
};
inline constexpr CellLayout kFlatLayout{offsetof(State, flat_pages), kFlatBytes,
                                        gpu::compact::Flat::kLastStamp};
inline constexpr CellLayout kDirectLayout{offsetof(State, direct_pages), kDirectBytes,
                                          gpu::compact::Direct::kLastStamp};
static_assert(offsetof(State, flat_region) == offsetof(State, flat_pages) + 8);
static_assert(offsetof(State, direct_region) == offsetof(State, direct_pages) + 8);

class CompactFlatPages {
 public:
  CompactFlatPages(DeviceMemory& memory, const CellLayout& layout)
      : memory_(memory), layout_(layout) {}
  ~CompactFlatPages();
  CompactFlatPages(const CompactFlatPages&) = delete;
  CompactFlatPages& operator=(const CompactFlatPages&) = delete;

  void begin(std::uint64_t state) { state_ = state; }
  // Cells for the allocation, if they fit into so many bytes; false: it has none.
  bool use(std::uint64_t begin, std::uint64_t end, std::uint64_t room);
  void leave(std::uint64_t begin);
  // For the next launch that uses cells; 0: not now, since cells must be cleared and something runs.
  std::uint32_t next_stamp(bool is_idle);
  std::uint64_t bytes() const { return pages_.size() * layout_.page_bytes; }

 private:
  struct Page {
    std::uint64_t cells = 0;
    std::uint32_t users = 0;  // allocations
  };
  void point(std::uint64_t page, std::uint64_t cells);
  bool has_table(std::uint64_t region);

  DeviceMemory& memory_;
  const CellLayout layout_;
  std::uint64_t state_ = 0, table_ = 0, region_ = 0;
  std::map<std::uint64_t, Page> pages_;          // by first address
  std::map<std::uint64_t, std::uint64_t> used_;  // allocations: end by begin
  std::uint32_t stamp_ = 0;                      // the last one
};

}  // namespace redflag::device::compact
