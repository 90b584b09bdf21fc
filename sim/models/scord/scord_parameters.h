// ScordParameters: what of ScoRD can be chosen, from the table scord_parameters.inc, and the sizes that
// follow from its formats.
#pragma once

#include <cstdint>
#include <string>

#include "core/detect/gpu/scord/entry.h"
#include "core/detect/gpu/scord/locks.h"
#include "core/detect/gpu/scord/scord.h"
#include "sim/mem/gpu/gpu_machine.h"

namespace redflag::sim {

struct ScordParameters {
#define PARAMETER(type, name, value, meaning) type name = value;
#include "sim/models/scord/scord_parameters.inc"

  // Entries have no bits left for a release counter: with it they are twice as wide.
  constexpr std::uint32_t entry_bytes() const { return acquire_release ? 16 : 8; }
};

// What cannot be built so, or nothing.
std::string fault_of(const ScordParameters& parameters);

// What goes with the address and the type of an access to the detector (section IV-A): warp, block,
// barrier and fences, and the filter of locks.
inline constexpr std::uint32_t kPacketBits = gpu::scord::kWarpBits + gpu::scord::kBlockBits +
                                             gpu::scord::kBarrierBits + 2 * gpu::scord::kFenceBits +
                                             gpu::scord::kFilterBits;
inline constexpr std::uint32_t kPacketBytes = (kPacketBits + 7) / 8;

// Hardware state (section IV-C), bits.
constexpr std::uint64_t bits_of_sm(const GpuMachine& machine) {
  return std::uint64_t{gpu::scord::kBarrierBits} * machine.blocks_per_sm +
         std::uint64_t{gpu::scord::kLockBits} * gpu::scord::kLockEntries * machine.warps_per_sm;
}
constexpr std::uint64_t bits_of_fence_file(const GpuMachine& machine) {
  return std::uint64_t{2} * gpu::scord::kFenceBits * machine.warps_per_sm * machine.sms;
}

}  // namespace redflag::sim
