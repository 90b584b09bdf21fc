// Pruning: accesses that need no hook, because they cannot race, or because another hook tells the same.
//
// - Generic addresses that Origins finds to be of local, parameter or constant memory.
// - ld.global.nc and ldu: the program promises that nobody writes there while the kernel runs.
// - Of two accesses of a thread in one basic block, with no synchronisation and no call between them, one is
//   enough if it covers the other: same base register with the same value, all bytes of the other, under the
//   same guard, and a write if the other is a write. Whoever races with the one that is left out races
//   with the one that is kept: nothing between them orders. The later one is kept where it can be. A
//   write is left out only if both write the same number.
// - Lanes that access memory together are ordered after what each did before (docs/how/semantics.md), and a
//   repeated access is left out only if the same lanes are told of again right behind it. Loads of read-only
//   memory are left out regardless: who relies on one to order the lanes of a warp is told of a race.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/plan.h"

namespace redflag::rewrite {

enum class Verdict : std::uint8_t {
  kKeep,
  kPrivate,
  kConstant,
  kRepeated,
  kQuiet,  // cannot race in launches of this version of the kernel (versions.h)
};

// For each instruction of the function; `plans` has one for each.
std::vector<Verdict> prune(const ptx::Module& module, const ptx::Function& function,
                           const std::vector<Plan>& plans);

// Whether what is told next, before instruction `end`, is an access of the same lanes, or a barrier of
// all: an access of several lanes orders them, and one that is left out must not be the only one to do so.
bool is_met_again(const ptx::Function& function, const std::vector<Plan>& plans,
                  const std::vector<Verdict>& verdicts, std::uint32_t instruction,
                  std::uint32_t end);

}  // namespace redflag::rewrite
