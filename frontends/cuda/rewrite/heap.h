// Calls of the device's malloc and free, which have hooks.
//
// Neither the result of a call nor its argument can be read from where they are passed: PTX wants
// ld.param right behind the call and st.param right in front of it, with no control flow between. So
// the hook of malloc stands behind the ld.param that takes its result, and gets what the st.param in
// front of the call was given; that of free stands before its st.param. A call whose result nobody
// takes, or that passes registers, has none.
#pragma once

#include <vector>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/plan.h"

namespace redflag::rewrite {

// Changes the plans (one for each instruction) of those instructions.
void find_heap_calls(const ptx::Module& module, const ptx::Function& function,
                     std::vector<Plan>& plans);

}  // namespace redflag::rewrite
