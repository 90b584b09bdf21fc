// GpuMachine: the parameters of a simulated GPU, from the table gpu_machine.inc.
#pragma once

#include <cstdint>
#include <string>

namespace redflag::sim {

using Cycle = std::uint64_t;  // of the SMs' clock

inline constexpr unsigned kGpuLineBytes = 128;  // of both caches (table V)
inline constexpr unsigned kLineBits = 7;
inline constexpr unsigned kSectorBytes = 32;  // the smallest transfer

struct GpuMachine {
#define PARAMETER(type, name, value, meaning) type name = value;
#include "sim/mem/gpu/gpu_machine.inc"

  constexpr std::uint32_t banks() const { return channels * banks_per_channel; }
  constexpr std::uint32_t l1_sets() const {
    return static_cast<std::uint32_t>(l1_bytes / kGpuLineBytes / l1_ways);
  }
  constexpr std::uint32_t l2_sets() const {  // of a bank
    return static_cast<std::uint32_t>(l2_bytes / kGpuLineBytes / l2_ways / banks());
  }
};

// What cannot be built so, or nothing: "sms = 300: at most 255".
std::string fault_of(const GpuMachine& machine);

}  // namespace redflag::sim
