#include "sim/mem/gpu/gpu_machine.h"

#include <array>
#include <bit>

namespace redflag::sim {
namespace {

struct Limit {
  const char* name;
  std::uint64_t GpuMachine::* wide;
  std::uint32_t GpuMachine::* number;
  std::uint64_t least, most;
};
// Warps of an SM are bits of a word, SMs and banks bytes of an event.
constexpr std::array kLimits{
    Limit{"sms", nullptr, &GpuMachine::sms, 1, 255},
    Limit{"blocks_per_sm", nullptr, &GpuMachine::blocks_per_sm, 1, 64},
    Limit{"warps_per_sm", nullptr, &GpuMachine::warps_per_sm, 1, 64},
    Limit{"schedulers", nullptr, &GpuMachine::schedulers, 1, 8},
    Limit{"l1_mshrs", nullptr, &GpuMachine::l1_mshrs, 1, 4096},
    Limit{"l1_ways", nullptr, &GpuMachine::l1_ways, 1, 64},
    Limit{"l2_ways", nullptr, &GpuMachine::l2_ways, 1, 64},
    Limit{"channels", nullptr, &GpuMachine::channels, 1, 64},
    Limit{"banks_per_channel", nullptr, &GpuMachine::banks_per_channel, 1, 2},
    Limit{"flit_bytes", nullptr, &GpuMachine::flit_bytes, 1, 4096},
    Limit{"l2_queue", nullptr, &GpuMachine::l2_queue, 1, 65536},
    Limit{"l2_port_bytes", nullptr, &GpuMachine::l2_port_bytes, 1, 4096},
    Limit{"core_mhz", nullptr, &GpuMachine::core_mhz, 1, 100000},
    Limit{"dram_mhz", nullptr, &GpuMachine::dram_mhz, 1, 100000},
    Limit{"dram_bytes", nullptr, &GpuMachine::dram_bytes, 1, 4096},
    Limit{"dram_banks", nullptr, &GpuMachine::dram_banks, 1, 1024},
    Limit{"row_bytes", nullptr, &GpuMachine::row_bytes, kGpuLineBytes, 1U << 20},
    Limit{"l1_bytes", &GpuMachine::l1_bytes, nullptr, kGpuLineBytes, 1U << 26},
    Limit{"l2_bytes", &GpuMachine::l2_bytes, nullptr, kGpuLineBytes, 1U << 30},
    Limit{"buffer_bytes", &GpuMachine::buffer_bytes, nullptr, 1U << 16, std::uint64_t{1} << 40},
};

}  // namespace

std::string fault_of(const GpuMachine& machine) {
  for (const Limit& limit : kLimits) {
    const std::uint64_t value = limit.wide != nullptr ? machine.*limit.wide : machine.*limit.number;
    if (value >= limit.least && value <= limit.most) continue;
    return std::string(limit.name) + " = " + std::to_string(value) + ": from " +
           std::to_string(limit.least) + " to " + std::to_string(limit.most);
  }
  if (machine.l1_sets() == 0) return "l1_bytes: less than a set of l1_ways lines of 128 bytes";
  if (machine.l2_sets() == 0) {
    return "l2_bytes: less than a set of l2_ways lines of 128 bytes in each of " +
           std::to_string(machine.banks()) + " banks";
  }
  return {};
}

}  // namespace redflag::sim
