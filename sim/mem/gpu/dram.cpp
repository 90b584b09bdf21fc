#include "sim/mem/gpu/dram.h"

#include <algorithm>

namespace redflag::sim {

Dram::Dram(const GpuMachine& machine)
    : machine_(machine), lines_per_row_(machine.row_bytes / kGpuLineBytes) {
  Channel channel;
  channel.banks.resize(machine.dram_banks);
  channels_.assign(machine.channels, channel);
}

Cycle Dram::access(std::uint32_t channel_number, std::uint64_t line, std::uint32_t bytes,
                   Cycle at) {
  ++accesses_;
  Channel& channel = channels_[channel_number];
  const std::uint64_t row_number = line / lines_per_row_;
  Bank& bank = channel.banks[row_number % machine_.dram_banks];
  const std::uint64_t row = row_number / machine_.dram_banks;
  const std::uint64_t now = at * machine_.dram_mhz / machine_.core_mhz;

  std::uint64_t column = std::max(now, bank.activated + machine_.t_rcd);
  if (bank.row == row) {
    ++row_hits_;
  } else {
    // The row before it may close t_ras after it was opened, which takes t_rp.
    std::uint64_t activate = now;
    if (bank.row != kClosed) {
      activate = std::max(now, bank.activated + machine_.t_ras) + machine_.t_rp;
    }
    activate = std::max({activate, bank.may_activate, channel.may_activate});
    channel.may_activate = std::max(channel.may_activate, now) + machine_.t_rrd;
    bank.may_activate = activate + machine_.t_rc;
    bank.activated = activate;
    bank.row = row;
    column = activate + machine_.t_rcd;
  }
  const std::uint64_t burst = (bytes + machine_.dram_bytes - 1) / machine_.dram_bytes;
  const std::uint64_t slot = std::max(channel.bus_free, now + machine_.t_cl);
  channel.bus_free = slot + burst;
  const std::uint64_t done = std::max(slot, column + machine_.t_cl) + burst;
  return (done * machine_.core_mhz + machine_.dram_mhz - 1) / machine_.dram_mhz;
}

}  // namespace redflag::sim
