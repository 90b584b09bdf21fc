#include "frontends/cuda/rewrite/mentions.h"

namespace redflag::rewrite {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

Mentions::Mentions(const ptx::Function& function) : count_(function.body.registers.size()) {
  const auto add = [&](const Operand& operand, const auto& again) -> void {
    const OperandKind kind = operand.kind == OperandKind::kAddress ? operand.base : operand.kind;
    if (kind == OperandKind::kRegister) ++count_[operand.index];
    for (const Operand& part : operand.parts()) again(part, again);
  };
  for (const Instruction& each : function.body.instructions) {
    if (each.guarded) ++count_[ptx::raw(each.guard)];
    for (const Operand& operand : each.operands()) add(operand, add);
  }
}

bool Mentions::is_taken(const Operand& result) const {
  if (result.kind == OperandKind::kDiscard) return false;
  return result.kind != OperandKind::kRegister || count_[result.index] > 1;
}

}  // namespace redflag::rewrite
