#include "frontends/cuda/rewrite/heap.h"

#include <string_view>

namespace redflag::rewrite {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;

namespace {

bool is_local(const Operand& operand, OperandKind kind) {
  return kind == OperandKind::kSymbol && operand.symbol_kind == ptx::SymbolKind::kLocal;
}

// Whether it is ld.param or st.param of the variable that the call names, whole.
bool moves(const Instruction& one, Op op, std::size_t at, const Operand& variable) {
  if (one.op != op || one.guarded || one.operand_count != 2) return false;
  const Operand& address = one.operands()[at];
  return address.kind == OperandKind::kAddress && is_local(address, address.base) &&
         address.index == variable.index && address.value == 0 &&
         ptx::bytes_of(one.modifiers.type()) == 8;
}

std::string_view provided(const ptx::Module& module, const Instruction& one) {
  if (one.op != Op::kCall || one.guarded) return {};
  const Operand& target = one.operands()[ptx::kCallTarget];
  if (target.kind != OperandKind::kSymbol || target.symbol_kind != ptx::SymbolKind::kFunction) {
    return {};
  }
  const ptx::Function& callee = module.functions[target.index];
  return callee.defined ? std::string_view() : callee.name;
}

// What the one argument of the call is; nullptr: it is not passed by one st.param in front.
const Instruction* argument_of(const std::vector<Instruction>& all, std::size_t call) {
  const Operand& given = all[call].operands()[ptx::kCallArguments];
  if (call == 0 || given.parts().size() != 1 ||
      !is_local(given.parts()[0], given.parts()[0].kind)) {
    return nullptr;
  }
  return moves(all[call - 1], Op::kSt, 0, given.parts()[0]) ? &all[call - 1] : nullptr;
}
const Instruction* result_of(const std::vector<Instruction>& all, std::size_t call) {
  const Operand& taken = all[call].operands()[ptx::kCallReturns];
  if (call + 1 >= all.size() || taken.parts().size() != 1 ||
      !is_local(taken.parts()[0], taken.parts()[0].kind)) {
    return nullptr;
  }
  const Instruction& next = all[call + 1];
  const bool takes = moves(next, Op::kLd, 1, taken.parts()[0]) && next.operands()[0].is_register();
  return takes ? &next : nullptr;
}

}  // namespace

void find_heap_calls(const ptx::Module& module, const ptx::Function& function,
                     std::vector<Plan>& plans) {
  const std::vector<Instruction>& all = function.body.instructions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = provided(module, all[i]);
    if (name != "malloc" && name != "free") continue;
    const Instruction* const argument = argument_of(all, i);
    const Instruction* const place = name == "free" ? argument : result_of(all, i);
    if (argument == nullptr || place == nullptr) continue;
    Plan& plan = plans[static_cast<std::size_t>(place - all.data())];
    plan = {};
    plan.action = name == "free" ? Action::kFree : Action::kMalloc;
    plan.data = &argument->operands()[1];
    plan.call = &all[i];
  }
}

}  // namespace redflag::rewrite
