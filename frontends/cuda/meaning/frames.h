// Where an instruction is in the source, from the .loc in front of it.
#pragma once

#include <vector>

#include "core/model/sources.h"
#include "frontends/cuda/ptx/debug_strings.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::cuda {

// Function, file, line, and the functions that it was inlined into, innermost first. Without .loc it is
// the line of the PTX.
std::vector<Frame> frames_of(const ptx::Module& module, const ptx::DebugStrings& strings,
                             const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace redflag::cuda
