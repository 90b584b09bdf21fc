// From a kernel's PTX to its Proof.
//
// What each instruction does to memory is for the caller to say (frontends/cuda/rewrite/plan.h): which ones
// access it, and which are barriers of the whole block. Kernels that do more than that, in a way that is not understood here
// (calls, asynchronous copies, matrices), are not to be given: they have no proof.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/cuda/prove/phases.h"
#include "frontends/cuda/prove/proof.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::prove {

struct Told {
  Role role = Role::kNone;
  Access access;                          // of kAccess: all but address, guards, instruction
  const ptx::Operand* address = nullptr;  //
};
inline constexpr std::size_t kMostAccesses = 256, kMostPairs = 1U << 15;

// A proof, or why there is none.
struct Described {
  Proof proof;
  std::string why_not;  // of one that is not possible
};
// `told` has an entry for each instruction.
Described describe(const ptx::Module& module, const ptx::Function& kernel,
                   const std::vector<Told>& told);

// Whether two accesses could race at all: one writes, and they are not atomics that reach each other.
bool may_race(const Access& a, const Access& b, bool same_block);
// Whether they may be of the same memory, as far as the code says.
bool may_meet(const Access& a, const Access& b);

}  // namespace redflag::prove
