// compact on the host: flat cells (core/detect/gpu/compact/flat.h) for allocations that kernels only store to.
//
// Two bytes for each byte of such an allocation, made when a launch first needs them, for pages of 2 MiB, and given back when
// the allocation is freed. All metadata together stays within twice the program's memory; what does not fit has no
// cells, and its kernels are told of by lines. Launches have stamps of their own, so that cells are cleared
// once in 63 launches that use them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

class CompactFlatPages {
 public:
  explicit CompactFlatPages(DeviceMemory& memory) : memory_(memory) {}
  ~CompactFlatPages();
  CompactFlatPages(const CompactFlatPages&) = delete;
  CompactFlatPages& operator=(const CompactFlatPages&) = delete;

  void begin(std::uint64_t state) { state_ = state; }
  // Cells for the allocation, if they fit into so many bytes; false: it has none.
  bool use(std::uint64_t begin, std::uint64_t end, std::uint64_t room);
  void leave(std::uint64_t begin);
  // For the next launch that uses cells; 0: not now, since cells must be cleared and something runs.
  std::uint32_t next_stamp(bool is_idle);
  std::uint64_t bytes() const { return pages_.size() * kFlatBytes; }

 private:
  struct Page {
    std::uint64_t cells = 0;
    std::uint32_t users = 0;  // allocations
  };
  void point(std::uint64_t page, std::uint64_t cells);
  bool has_table(std::uint64_t region);

  DeviceMemory& memory_;
  std::uint64_t state_ = 0, table_ = 0, region_ = 0;
  std::map<std::uint64_t, Page> pages_;          // by first address
  std::map<std::uint64_t, std::uint64_t> used_;  // allocations: end by begin
  std::uint32_t stamp_ = 0;                      // the last one
};

}  // namespace redflag::device::compact
