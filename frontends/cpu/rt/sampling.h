// Sampling: which regions of the program are checked (--sample, --budget; docs/running.md).
#pragma once

#include <cstdint>

namespace redflag::rt {

struct Sampling {
  enum class Strategy : std::uint8_t { kNone, kInstruction, kFunction, kHierarchical };
  Strategy strategy = Strategy::kNone;
  bool locality = false;                      // the heuristic "A"
  std::uint32_t function_factor = 1U << 15;   // of kFactorOne
  std::uint32_t instruction_factor = 58982;   // 0.9, as in the paper
  std::uint32_t budget = 0;                   // of kFactorOne; 0: none
};

// Once, before the first region asks.
void sampling_begin(const Sampling& sampling);

// Of all threads so far, as far as they have told: regions and checks that were sampled by decision.
std::uint64_t sampled_regions();
std::uint64_t sampled_checks();

}  // namespace redflag::rt
