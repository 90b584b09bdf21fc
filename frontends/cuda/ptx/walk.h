// Walks through a control flow graph, instruction by instruction.
//
// Who asks what comes before an instruction, on any way to it, says at each one whether the way goes on. Calls are
// instructions like others: what happens in a function that is called is not walked through.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "frontends/cuda/ptx/cfg.h"

namespace redflag::ptx {

enum class Step : std::uint8_t {
  kOn,    // to what comes before
  kOver,  // this way ends here
  kFound  // and so does the walk
};
struct Walked {
  bool has_found = false;
  bool comes_from_begin = false;  // of the function, by a way that did not end
};

// Backwards along all ways to instruction `at`, which is not visited itself unless a way leads round to it; `at` may be
// the end of its block, which `block` is. `visit(instruction)` says how it goes on. Each block is gone through once, that
// of `at` once more.
template <typename Visit>
Walked walk_back(const Cfg& cfg, BlockId block, std::uint32_t at, Visit visit) {
  Walked made;
  std::vector<bool> seen(cfg.blocks().size());
  std::vector<std::pair<BlockId, std::uint32_t>> open{{block, at}};
  while (!open.empty()) {
    const auto [here, end] = open.back();
    open.pop_back();
    Step step = Step::kOn;
    for (std::uint32_t i = end; i > cfg.block(here).begin && step == Step::kOn; --i) {
      step = visit(i - 1);
    }
    if (step == Step::kFound) {
      made.has_found = true;
      return made;
    }
    if (step == Step::kOver) continue;
    made.comes_from_begin = made.comes_from_begin || raw(here) == 0;
    for (const BlockId each : cfg.block(here).predecessors) {
      if (seen[raw(each)]) continue;
      seen[raw(each)] = true;
      open.emplace_back(each, cfg.block(each).end);
    }
  }
  return made;
}

}  // namespace redflag::ptx
