// The mbarrier object: 64 bits in shared memory. (PTX ISA 9.0, section 9.7.13.15.)
//
// Bits: arrivals that each phase expects (20), arrivals pending (20), bytes pending (22, biased), and
// the parity of the phase. A phase is complete when nothing is pending. How many phases there were is
// kept beside it, in the block, for those who are told.
#pragma once

#include <cstdint>

#include "frontends/cuda/emulate/machine.h"

namespace redflag::cuda {

struct Mbarrier {
  std::uint32_t expected = 0;
  std::uint32_t pending = 0;
  std::int32_t bytes = 0;
  bool parity = false;

  static Mbarrier unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word & 0xfffff),
            static_cast<std::uint32_t>(word >> 20 & 0xfffff),
            static_cast<std::int32_t>(word >> 40 & 0x3fffff) - (1 << 21), (word >> 62 & 1) != 0};
  }
  std::uint64_t pack() const {
    return (expected & 0xfffffU) | std::uint64_t{pending & 0xfffffU} << 20 |
           static_cast<std::uint64_t>((bytes + (1 << 21)) & 0x3fffff) << 40 |
           static_cast<std::uint64_t>(parity) << 62;
  }
};

// On the object that Run::host and Run::address have for the lane. `bytes` may be negative.
// The word as it was before.
std::uint64_t mbarrier_arrive(Run& run, unsigned lane, std::uint32_t arrivals, std::int64_t bytes,
                              bool drops = false);
std::uint32_t mbarrier_round(const Run& run, unsigned lane);

// The mbarrier at an address of the program has received bytes that the lane sent; told so. False: a fault.
bool complete_bytes(Run& run, const MicroOp& op, const AsyncOp& how, unsigned lane,
                    std::uint64_t at, std::uint32_t bytes, gpu::StepKind told);

}  // namespace redflag::cuda
