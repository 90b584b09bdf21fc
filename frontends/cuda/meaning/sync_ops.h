// Which of a kernel's instructions can order threads: for detectors that want to know it before the
// kernel runs (gpu::Launch::sync).
//
// Looks at the instruction alone, so it errs on the safe side: an atomic of a generic address with
// block scope counts as one of global memory. Volatile accesses, shuffles and votes order nothing.
#pragma once

#include "core/model/gpu.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::cuda {

// Adds what the instruction is; calls of malloc and free are the decoder's matter, who knows names.
void add_sync_op(const ptx::Instruction& instruction, gpu::SyncOps& to);

}  // namespace redflag::cuda
