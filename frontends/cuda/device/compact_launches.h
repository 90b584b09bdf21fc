// compact on the host: launches, copies and the host's own accesses that nothing orders.
//
// What the program does with streams, events and waiting is told to gpu::HostOrder. For a launch this
// gives the other launches, by their last bits (core/detect/gpu/compact/line.h), and the earlier
// accesses of the host that are not ordered before it: the device compares with those. An access of the
// host gives the launches that are not ordered before it, whose lines are to be looked at when they
// have ended, and earlier accesses of the host.
//
// Numbers are of one generation of launches. Memory that is allocated where something was freed may be
// ordered by the allocator itself (cuMemAllocAsync): launches before that are not asked about any more.
// Plain C++; any one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/detect/gpu/host_order.h"
#include "core/model/gpu.h"

namespace redflag::device::compact {

struct HostAccess {
  std::uint32_t id = 0;  // from 1, never again
  gpu::HostOrder::Number number = 0;
  gpu::HostStep step;
  bool writes = false;

  bool overlaps(std::uint64_t from, std::uint64_t end) const {
    return step.address < end && from < step.address + step.size;
  }
};

// What nothing orders before a launch or an access of the host.
struct Unordered {
  std::uint64_t launches = 0;        // bit k: the one whose number's last bits are k
  std::vector<HostAccess> accesses;  // of a launch: all; of the host: those that conflict
  HostAccess self;                   // of the host; id 0: it was none
};

class CompactLaunches {
 public:
  // `is_checked`: lines will have its number.
  Unordered launch(const gpu::Launch& launch, bool is_checked);
  Unordered host(const gpu::HostStep& step);
  // The access with that id, as long as it is remembered; nullptr: it is not.
  const HostAccess* find(std::uint32_t id) const;
  void begin_again();  // a generation; nobody is asked about any more

 private:
  struct Past {
    gpu::HostOrder::Number number = 0;
    std::uint32_t bits = 0;
  };
  void forget(std::uint64_t from, std::uint64_t end);

  gpu::HostOrder order_;
  std::vector<Past> launches_;
  std::vector<HostAccess> accesses_;
  std::map<std::uint32_t, HostAccess> told_;      // for findings
  std::map<std::uint64_t, std::uint64_t> freed_;  // end by begin
  std::uint32_t next_id_ = 1;
};

}  // namespace redflag::device::compact
