// compact on the host: memory of the detector that only some kernels need, made when the first of them
// is launched.
//
// Lines and a table for the device's heap (compact_heap.h), lines of shared memory in clusters
// (compact_cluster.h), records of asynchronous copies (compact_copies.h), and tables of the program's
// allocations (compact_allocations.h). What there is no room for is not made, and not checked.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/device/compact_pages.h"
#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

class CompactExtras {
 public:
  CompactExtras(DeviceMemory& memory, CompactPages& pages, const CompactSizes& sizes)
      : memory_(memory), pages_(pages), sizes_(sizes) {}
  ~CompactExtras();
  CompactExtras(const CompactExtras&) = delete;
  CompactExtras& operator=(const CompactExtras&) = delete;

  // Where State is. Before anything else.
  void begin(std::uint64_t state) { state_ = state; }
  void prepare(const gpu::Launch& launch);
  void begin_again();  // when nothing runs: a generation of launches

  // Of the launch, among those that are there.
  bool has_copies(const gpu::Launch& launch) const { return copies_ != 0 && copies(launch); }
  bool has_cluster_lines(const gpu::Launch& launch) const;
  std::uint64_t tables() const { return tables_; }    // State::tables
  std::uint64_t lacking() const { return lacking_; }  // launches that something was not there for

 private:
  static bool copies(const gpu::Launch& launch) {
    return launch.sync.has(gpu::SyncOp::kAsyncCopy) || !launch.sync.known;
  }
  std::uint64_t make(std::uint64_t bytes);  // 0: no room
  template <typename T>
  void tell(std::size_t at, const T& value);
  void prepare_heap();
  void prepare_clusters();
  void prepare_copies();
  void prepare_tables();

  DeviceMemory& memory_;
  CompactPages& pages_;
  const CompactSizes& sizes_;
  std::uint64_t state_ = 0;
  std::vector<std::uint64_t> made_;
  std::uint64_t spares_ = 0;    // lines for the device's heap; 0: no kernel allocates
  std::uint64_t clusters_ = 0;  // lines of shared memory; 0: no kernel has clusters
  std::uint64_t copies_ = 0;    // of threads; 0: no kernel has asynchronous ones
  std::uint64_t tables_ = 0;
  std::uint64_t lacking_ = 0;
};

}  // namespace redflag::device::compact
