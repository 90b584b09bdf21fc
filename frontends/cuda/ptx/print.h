// From a Module back to PTX text that ptxas assembles to the same machine code.
//
// Everything is printed from the IR, not from the source, except what is kept word for word (unknown
// instructions, debug sections). Comments and layout are not kept. Float literals are printed by
// their bits. parse(print(m)) equals m (compare.h).
#pragma once

#include <string>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

std::string print(const Module& module);
std::string print(const Module& module, const Function& function);
// Without guard, indent and semicolon.
std::string print(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace redflag::ptx
