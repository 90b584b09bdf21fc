// A launch to ask a proof about where no program makes one: when a kernel is rewritten, and for people who ask.
//
// It looks like most: many threads and blocks in as many directions as the kernel asks for, large numbers, and pointers
// that lead to different allocations. What it says of a kernel is a guess; what a real launch says counts.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/prove/prove.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::rewrite {

struct Assumed {
  prove::Sizes sizes;
  std::vector<std::byte> parameters;     // as one block
  std::vector<std::uint64_t> variables;  // addresses of the proof's
  prove::Facts facts() const {
    return {.sizes = sizes, .parameters = parameters, .variables = variables};
  }
};
Assumed typical_launch(const prove::Proof& proof, const ptx::Function& kernel,
                       const std::vector<Place>& places);

// Addresses in such launches: the first of an allocation, by number from 1, and the allocation of one.
inline constexpr unsigned kAssumedBits = 40;
constexpr std::uint64_t assumed_address(std::uint64_t allocation) {
  return allocation << kAssumedBits;
}
constexpr std::uint64_t assumed_allocation(std::uint64_t address) {
  return address >> kAssumedBits;
}

}  // namespace redflag::rewrite
