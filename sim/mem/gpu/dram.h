// Dram: channels with banks and open rows.
//
// A line that is in its bank's open row costs the column access and its time on the data bus; another
// one closes that row and opens its own, no earlier than the bank's and the channel's distance between
// activations allow (ScoRD, table V). Requests are served as they come, but a slot of the bus is not
// lost to one that waits for its row: the controller of the paper's simulator (FR-FCFS) would give it
// to another. Write-to-read turnarounds and refresh are not modelled. O(1).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mem/gpu/gpu_machine.h"

namespace redflag::sim {

class Dram {
 public:
  explicit Dram(const GpuMachine& machine);

  // When the line's data is there (read), or written. `line` counts lines of the channel.
  Cycle access(std::uint32_t channel, std::uint64_t line, std::uint32_t bytes, Cycle at);

  std::uint64_t row_hits() const { return row_hits_; }
  std::uint64_t accesses() const { return accesses_; }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};
  // Times in cycles of the DRAM, from here on.
  struct Bank {
    std::uint64_t row = kClosed;
    std::uint64_t activated = 0;
    std::uint64_t may_activate = 0;
  };
  struct Channel {
    std::vector<Bank> banks;
    std::uint64_t bus_free = 0;
    std::uint64_t may_activate = 0;
  };

  GpuMachine machine_;
  std::uint64_t lines_per_row_;
  std::vector<Channel> channels_;
  std::uint64_t row_hits_ = 0, accesses_ = 0;
};

}  // namespace redflag::sim
