// Allocations of a GPU program, by what its host told: whose memory an address is.
//
// For those who name the memory of a finding, while a program runs and when its trace is replayed. An
// allocation counts until it is freed, so ask when the race is found. O(log n); one thread at a time.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "core/model/finding.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

class Allocations {
 public:
  struct Block {
    std::uint64_t address = 0;
    std::uint64_t size = 0;  // 0: none
    SiteId site{0};          // of the call that allocated it
  };

  void take(const HostStep& step) {
    if (step.kind == HostKind::kAlloc) {
      blocks_[step.address] = {step.address, step.size, step.site};
    } else if (step.kind == HostKind::kFree) {
      blocks_.erase(step.address);
    }
  }

  Block holding(std::uint64_t address) const {
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return {};
    const Block& block = std::prev(after)->second;
    return address - block.address < block.size ? block : Block{};
  }

 private:
  std::map<std::uint64_t, Block> blocks_;  // by address
};

// Puts the block into the finding; `stack` is that of its site.
inline void name_memory(Finding& finding, const Allocations::Block& block, Stack stack) {
  if (block.size == 0) return;
  finding.memory.addr = Addr{block.address};
  finding.memory.size = block.size;
  finding.memory.kind = RegionKind::kDevice;
  finding.memory_stack = std::move(stack);
}

}  // namespace redflag::gpu
