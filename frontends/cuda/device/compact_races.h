// compact on the host: what the device wrote down of a race, as the reports know it.
#pragma once

#include <cstdint>

#include "core/detect/gpu/gpu_race.h"
#include "frontends/cuda/device/compact_launches.h"
#include "frontends/cuda/device/compact_state.h"

namespace redflag::device::compact {

// `host`: the earlier access, where it is the host's and is remembered.
gpu::GpuRace race_of(const RaceRecord& record, const HostAccess* host);
// One whose second side is the host's; the first is the caller's to fill in.
gpu::GpuRace race_with_host(const HostAccess& access, std::uint64_t address);
gpu::GpuSide side_of(const HostAccess& access);
gpu::GpuSide side_of(gpu::compact::Word word, bool wrote);  // launch and block left out

}  // namespace redflag::device::compact
