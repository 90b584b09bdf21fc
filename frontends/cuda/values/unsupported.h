// Value operations of the opcode table that are not computed, and why; and planning for one level of
// the processor, for tests.
#pragma once

#include "frontends/cuda/values/value_op.h"

namespace redflag::cuda::values {

struct Unsupported {
  ptx::Op op;
  const char* reason;
};
inline constexpr Unsupported kUnsupported[] = {
    {ptx::Op::kCreatepolicy, "cache policies have no meaning here"},
};

// nullptr: supported, or no value operation.
constexpr const char* why_unsupported(ptx::Op op) {
  for (const Unsupported& each : kUnsupported) {
    if (each.op == op) return each.reason;
  }
  return nullptr;
}

enum class Level : std::uint8_t { kBest, kBaseline };
Result<ValuePlan> plan_at(Level level, const ptx::Function& function,
                          const ptx::Instruction& instruction);

}  // namespace redflag::cuda::values
