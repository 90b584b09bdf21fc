// For tests: random programs changed, so that more of what real kernels do is in them. RandomProgram
// has branches whose paths never meet again, and plain accesses only where no atomics are.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/detect/gpu/random_steps.h"

namespace redflag::gpu {

// Some branches end: their lanes go on together, as far as they have not ended. Some plain accesses
// are of the places that atomics use.
inline RandomProgram changed(const RandomProgram& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool mixes = random() % 2 == 0;
  std::vector<std::uint64_t> places;  // of atomics so far
  std::vector<RandomProgram::Item> items;
  std::vector<std::pair<std::size_t, RandomProgram::Item>> open;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Lanes> gone;
  for (RandomProgram::Item item : program.items()) {
    if (item.what != RandomProgram::What::kStep) {
      items.push_back(item);
      continue;
    }
    Step& step = item.step;
    if (step.kind >= StepKind::kAtomicLoad && step.kind <= StepKind::kAtomicRmw) {
      places.push_back(item.address[static_cast<unsigned>(std::countr_zero(step.lanes))]);
    }
    const bool plain = step.kind == StepKind::kRead || step.kind == StepKind::kWrite;
    if (plain && mixes && !places.empty() && random() % 4 == 0) {
      step.size = 4;
      step.space = Space::kGlobal;
      item.address.fill(places[random() % places.size()]);
    }
    items.push_back(item);
    if (step.kind == StepKind::kExit) gone[{step.block, step.warp}] = step.lanes;
    if (step.kind == StepKind::kBranch && random() % 4 != 0) {
      open.emplace_back(items.size() + 1 + random() % 12, item);
    }
    for (auto& [at, branch] : open) {
      if (at != items.size()) continue;
      RandomProgram::Item meet = branch;
      meet.step.kind = StepKind::kReconverge;
      meet.step.lanes |= meet.step.other;
      meet.step.lanes &= ~gone[{meet.step.block, meet.step.warp}];
      meet.step.converged = meet.step.lanes;
      if (meet.step.lanes != 0) items.push_back(meet);
      at = 0;
    }
  }
  return RandomProgram(std::move(items));
}

}  // namespace redflag::gpu
