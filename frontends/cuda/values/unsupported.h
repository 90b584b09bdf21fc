// Instructions without effect on memory that are computed elsewhere, and why; and planning for one level
// of the processor, for tests.
#pragma once

#include "frontends/cuda/values/value_op.h"

namespace redflag::cuda::values {

struct Unsupported {
  ptx::Op op;
  const char* reason;
};
inline constexpr Unsupported kUnsupported[] = {
    {ptx::Op::kIsspacep, "the machine knows which addresses a state space has"},
    {ptx::Op::kCvta, "the machine knows where state spaces are in the generic one"},
    {ptx::Op::kMapa, "the machine knows where a cluster's shared memory is"},
    {ptx::Op::kGetctarank, "the machine knows where a cluster's shared memory is"},
    {ptx::Op::kAlloca, "the machine has the stack"},
    {ptx::Op::kStacksave, "the machine has the stack"},
    {ptx::Op::kStackrestore, "the machine has the stack"},
    {ptx::Op::kIstypep, "the machine knows textures and surfaces"},
    {ptx::Op::kBrkpt, "it suspends, and computes nothing"},
    {ptx::Op::kNanosleep, "the machine has the clock"},
    {ptx::Op::kPmevent, "it counts an event, and computes nothing"},
    {ptx::Op::kSetmaxnreg, "registers are not limited"},
    {ptx::Op::kClusterlaunchcontrolQueryCancel, "the machine knows which blocks were launched"},
};

// nullptr: a value operation, or one with an effect on memory or control flow.
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
