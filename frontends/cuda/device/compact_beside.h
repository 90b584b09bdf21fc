// compact on the host: what launches, copies and the host's own accesses do beside each other.
//
// What nothing orders is known from compact_launches.h. Of a launch the device is told: it compares with lines of other launches
// and with ranges of the host's accesses. An access of the host is compared here, with what launches did to lines there
// (compact_scan.h), at once or when they have ended. Where pages share lines nothing is compared: owners have too few bits
// of a launch to name another. Plain C++; any one thread at a time.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/device/compact_launches.h"
#include "frontends/cuda/device/compact_pages.h"
#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

class CompactBeside {
 public:
  CompactBeside(DeviceMemory& memory, const CompactPages& pages) : memory_(memory), pages_(pages) {}

  // Where State is, and its pool of chunks. Before anything else; 0: there is none yet.
  void begin(std::uint64_t state, std::uint64_t chunks, std::uint32_t chunk_count);
  // `is_checked`: lines will have its number.
  void launch_begins(const gpu::Launch& launch, bool is_checked);
  void launch_ends(std::uint32_t bits, std::uint32_t generation);
  // `running`: launches of the generation that have not ended, by their last bits.
  void host(const gpu::HostStep& step, std::uint64_t running, std::uint32_t generation);
  void begin_again();  // a generation of launches

  bool is_concurrent() const { return concurrent_ != 0; }  // something was, so far
  std::uint64_t copies_not_compared() const { return copies_not_compared_; }
  const HostAccess* find(std::uint32_t id) const { return launches_.find(id); }
  std::vector<gpu::GpuRace> take() { return std::exchange(found_, {}); }

 private:
  struct Waiting {
    HostAccess access;
    std::uint64_t launches = 0;  // that run, by their last bits
  };
  // The device is told what nothing orders with the launch.
  void tell(gpu::LaunchId launch, const Unordered& beside);
  // With what those launches, which have ended, did there.
  void compare(const HostAccess& access, std::uint64_t launches, std::uint32_t generation);

  DeviceMemory& memory_;
  const CompactPages& pages_;
  std::uint64_t state_ = 0, chunks_ = 0;
  std::uint32_t chunk_count_ = 0;
  CompactLaunches launches_;
  std::uint64_t unordered_[1U << gpu::compact::kLaunchBits] = {};  // as in State
  std::uint64_t concurrent_ = 0;
  std::uint64_t copies_not_compared_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<gpu::GpuRace> found_;                                     // not taken yet
  std::set<std::tuple<std::uint32_t, std::uint32_t, int>> told_pairs_;  // sites
};

}  // namespace redflag::device::compact
