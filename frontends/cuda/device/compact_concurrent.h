// compact across launches: accesses of other launches, and of the host, that nothing orders.
//
// Which those are only the host knows (compact_launches.h): a row for each launch number in State.
// Most programs have none, and pay for one test of a flag where a line is first touched. An access
// that meets a line of such a launch is compared with all that the line says, then the line is its own.
// Device code.
#pragma once

#include "frontends/cuda/device/compact_cells.h"

namespace redflag::device::compact {

// Launches of the program that run beside this one, or ran before it and nobody waited.
REDFLAG_DEVICE bool is_concurrent(std::uint32_t launch) {
  const Block& b = block();
  if (b.concurrent == 0) return false;
  const std::uint64_t row =
      load_relaxed<Reach::kDevice>(&state_of(b).unordered[b.launch & gpu::compact::kLaunchMask]);
  return (row >> launch & 1) != 0;
}

REDFLAG_DEVICE std::uint32_t of_launch(std::uint32_t launch) {
  return kOtherLaunch | launch << kOtherLaunchAt;
}

// One word of this access against one of another launch: only atomics of device scope are fine.
REDFLAG_DEVICE bool conflicts(Word earlier, std::uint32_t bytes, const Access& access) {
  if (!earlier || (earlier.bytes() & bytes) == 0) return false;
  return !(access.is_atomic && !access.block_scope && earlier.kind() == Kind::kAtomic);
}
REDFLAG_SLOW void compare_with_launch(std::uint64_t write, std::uint64_t read, std::uint32_t launch,
                                      std::uint64_t address, std::uint32_t flags,
                                      std::uint32_t site, std::uint32_t what) {
  Doing doing = doing_of(site, what, 0, 0);
  doing.lane = flags >> 8 & 31;
  doing.warp = flags >> 13;
  const bool writes = (flags & 16) != 0;
  const Access access = access_of(What::of(what), doing, writes);
  const std::uint32_t bytes = flags & 15;
  if (conflicts({write}, bytes, access)) {
    tell(doing, address, {write}, kFirstWrote | of_launch(launch));
  } else if (writes && conflicts({read}, bytes, access)) {
    tell(doing, address, {read}, of_launch(launch));
  }
}

// Accesses of the host that nothing orders before this launch.
REDFLAG_SLOW void compare_with_host(std::uint64_t address, std::uint32_t bytes, bool writes,
                                    std::uint32_t site, std::uint32_t what) {
  const Block& b = block();
  const State& s = state_of(b);
  const HostRanges& row = s.host_ranges[b.launch & gpu::compact::kLaunchMask];
  for (std::uint32_t i = 0; i < row.count; ++i) {
    const HostRange& range = row.ranges[i];
    if ((!writes && range.writes == 0) || range.begin >= address + bytes || range.end <= address) {
      continue;
    }
    tell(doing_of(site, what, 0, 0), address, {range.id},
         kHostFirst | (range.writes != 0 ? kFirstWrote : 0U));
  }
}

}  // namespace redflag::device::compact
