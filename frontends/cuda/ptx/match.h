// Operands against the forms of the opcode table (the letters of opcodes.inc).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontends/cuda/ptx/opcode.h"
#include "frontends/cuda/ptx/operand.h"

namespace redflag::ptx {

// Whether the operands fit one of the forms.
bool matches(std::string_view forms, std::span<const Operand> operands);
// What each operand is for, by the first form that fits; kOther when none does.
Role match_role(std::string_view forms, std::span<const Operand> operands, std::size_t at);

}  // namespace redflag::ptx
