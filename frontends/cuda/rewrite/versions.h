// Versions of a kernel: as little of it is told of as a launch allows.
//
// A rewritten module has, besides the kernel that tells of everything, one that is as the program has it, and one that
// tells only of accesses of which no launch can know that they do not race. Which one is launched is
// decided by the kernel's proof (frontends/cuda/prove) with the launch's sizes, parameters and allocations.
// Textures have no part in a proof. What they read can race, in a launch that runs alone, only with what the kernel writes to plain
// memory under them: CUDA arrays are written by surfaces, and a kernel that writes those has no proof.
// Kernels with asynchronous copies, matrices or barriers of parts of a block have no proof, and the plain version is for launches
// that leave no room for the runtime; those with calls have the full version alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/prove/describe.h"
#include "frontends/cuda/prove/prove.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/plan.h"
#include "frontends/cuda/rewrite/prune.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::rewrite {

// What the kernel's plans mean for a proof.
prove::Described proof_of(const ptx::Module& module, const ptx::Function& kernel,
                          const std::vector<Plan>& plans, const std::vector<Verdict>& verdicts);

// What the lean version tells of: what may race for all that can be known before a launch, and what
// does in a launch that looks like most.
struct Lean {
  std::vector<bool> told;        // by access of the proof
  bool is_within_block = false;  // threads of one block may race
};
Lean lean_of(const prove::Proof& proof, const ptx::Function& kernel,
             const std::vector<Place>& places);
// How it would tell: `is_hot`, `has_direct`: what the kernel and the runtime allow. Sets all that Kernel says of a lean
// version; false: there is no use for one, since it would tell nothing, or all in no cheaper way.
bool plan_lean(const Lean& lean, const ptx::Function& function, const std::vector<Plan>& plans,
               bool is_hot, bool has_direct, Kernel& kernel);

// Makes cells for these allocations (device::Runtime::make_cells); false: there are none.
using MakeCells =
    std::function<bool(std::span<const std::uint64_t> allocations, device::Cells which)>;
// Whether memory of the allocation may be read through a texture (device::Runtime::has_texture).
using HasTexture = std::function<bool(std::uint64_t allocation)>;
// The version that is enough for a launch. Without `has_texture` all memory may be under a texture.
Version choose(const Kernel& kernel, const prove::Facts& facts,
               const prove::Allocations& allocations, const MakeCells& make_cells,
               const HasTexture& has_texture = {});
// The name of the kernel's version.
std::string name_of(const std::string& kernel, Version version);

// The program's parameters as one block, from an array of pointers to them; empty: one is missing.
std::vector<std::byte> parameter_block(const Kernel& kernel, std::span<void* const> pointers);

}  // namespace redflag::rewrite
