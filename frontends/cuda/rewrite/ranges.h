// Ranges: loads of shared memory in a loop that are told once, in front of it.
//
// The loop is one basic block that a constant number of turns goes through, and the load's address goes on by
// a constant in each. Then all that the loop reads is known before it begins: first address, stride, count. Nothing in
// the loop may order threads, and all that it tells of is done by the same lanes, so that it makes no difference
// when they meet. Counts are of loops whose counter begins with a constant in the block before it.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/plan.h"
#include "frontends/cuda/rewrite/prune.h"

namespace redflag::rewrite {

struct Range {
  std::uint32_t load = 0;    // instruction
  std::uint32_t before = 0;  // the last instruction in front of the loop
  std::int64_t offset = 0;   // from the load's base register, as it is there
  std::int64_t stride = 0;   // bytes
  std::uint32_t count = 0;
};

inline constexpr std::uint32_t kMostTurns = 4096;

// Of the words that a hot kernel loads.
std::vector<Range> find_ranges(const ptx::Module& module, const ptx::Function& function,
                               const std::vector<Plan>& plans,
                               const std::vector<Verdict>& verdicts);

}  // namespace redflag::rewrite
