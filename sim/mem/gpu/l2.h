// L2: the banked second-level cache before the DRAM's channels.
//
// Chunks of 256 bytes go round the channels; each channel has its banks, each bank its queue, its port
// and its tags. Write-back; a store that misses goes to the channel and brings nothing in, as the
// configuration of the paper's simulator has it. Reads and writes of detectors' metadata come here like
// all others, and are counted apart (ScoRD, figure 9). An access is made in the order of time at the
// banks, and its whole way is known at once: a line on its way from memory knows when it comes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/mem/cache.h"
#include "sim/mem/gpu/dram.h"
#include "sim/mem/gpu/port.h"

namespace redflag::sim {

enum class L2Use : std::uint8_t { kRead, kWrite, kUpdate };  // update: read, then written
enum class Traffic : std::uint8_t { kData, kMetadata };
inline constexpr std::size_t kTrafficCount = 2;

struct L2Counts {
  std::uint64_t accesses = 0;
  std::uint64_t misses = 0;
  std::uint64_t dram_reads = 0;
  std::uint64_t dram_writes = 0;  // written back, or through

  std::uint64_t dram() const { return dram_reads + dram_writes; }
};

class L2 {
 public:
  explicit L2(const GpuMachine& machine);

  std::uint32_t bank_of(std::uint64_t line) const { return place_of(line).bank; }
  struct Done {
    Cycle admitted;  // into the bank's queue: until then the sender's port is blocked
    Cycle ready;     // the answer may go back
  };
  Done access(std::uint64_t line, std::uint32_t bytes, L2Use use, Traffic traffic, Cycle at);
  // Everything leaves; what is dirty is counted as written back, in no time.
  void flush();

  const L2Counts& counts(Traffic traffic) const {
    return counts_[static_cast<std::size_t>(traffic)];
  }
  const Dram& dram() const { return dram_; }

 private:
  struct Line {
    Cycle ready = 0;  // when it is there
    bool dirty = false;
    Traffic traffic = Traffic::kData;
  };
  struct Bank {
    Bank(const CacheShape& shape, std::size_t queue_entries) : tags(shape), queue(queue_entries) {}
    Cache<Line> tags;
    BoundedQueue queue;
    Port port;
  };
  struct Place {
    std::uint32_t channel, bank;
    std::uint64_t in_channel, in_bank;  // numbers of the line
  };
  Place place_of(std::uint64_t line) const;
  std::uint64_t channel_line(std::uint32_t bank, std::uint64_t in_bank) const;
  L2Counts& own(Traffic traffic) { return counts_[static_cast<std::size_t>(traffic)]; }

  GpuMachine machine_;
  std::vector<Bank> banks_;
  Dram dram_;
  std::array<L2Counts, kTrafficCount> counts_{};
};

}  // namespace redflag::sim
