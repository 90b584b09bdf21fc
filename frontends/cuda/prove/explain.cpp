#include "frontends/cuda/prove/explain.h"

#include <algorithm>
#include <vector>

#include "frontends/cuda/prove/forms.h"
#include "frontends/cuda/ptx/print.h"

namespace redflag::prove {
namespace {

// The operand of an access that is its address.
const ptx::Operand* address_in(const ptx::Instruction& from) {
  for (const ptx::Operand& each : from.operands()) {
    if (each.kind == ptx::OperandKind::kAddress) return &each;
  }
  return nullptr;
}

class LaunchSearch {
 public:
  LaunchSearch(const ptx::Function& kernel, Forms& forms)
      : kernel_(kernel), forms_(forms), seen_(kernel.body.registers.size()) {}

  // From the register back, by way of operands of which something is not known.
  std::optional<std::uint32_t> from(ptx::RegId reg, std::uint32_t at) {
    if (seen_[ptx::raw(reg)]) return {};
    seen_[ptx::raw(reg)] = true;
    const std::optional<std::uint32_t> set = forms_.definition(reg, at);
    if (!set) return {};
    const ptx::Instruction& instruction = kernel_.body.instructions[*set];
    const auto operands = instruction.operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (role_of(instruction, i) == ptx::Role::kDestination || !operands[i].is_register())
        continue;
      const Form form = forms_.of(operands[i], *set);
      if (form.is_exact && !form.is_wild) continue;
      return from(operands[i].reg(), *set);
    }
    return set;
  }

 private:
  const ptx::Function& kernel_;
  Forms& forms_;
  std::vector<bool> seen_;
};

}  // namespace

std::string Explainer::text(std::uint32_t instruction) const {
  return ptx::print(module_, kernel_, kernel_.body.instructions[instruction]);
}

std::optional<std::uint32_t> Explainer::culprit(const ptx::Operand& address,
                                                std::uint32_t at) const {
  if (!address.has_base_register()) return {};
  Proof unused;
  Forms forms(module_, kernel_, cfg_, loops_, unused);
  return LaunchSearch(kernel_, forms).from(address.reg(), at);
}

std::string Explainer::doubt(const Proof& proof, const Answer& answer, std::uint32_t access) const {
  const Access& of = proof.accesses[access];
  if (of.address.is_exact && !of.address.is_wild) {
    return answer.is_known[access]
               ? ""
               : "in this launch, a 32-bit value in its address may overflow or is too large";
  }
  const ptx::Instruction& from = kernel_.body.instructions[of.instruction];
  const ptx::Operand* const address = address_in(from);
  const std::optional<std::uint32_t> set =
      address != nullptr ? culprit(*address, of.instruction) : std::nullopt;
  if (!set) {
    return "its address is not linear in the numbers of thread, block and loop iterations: it "
           "depends on the path through the kernel";
  }
  const ptx::Instruction& unknown = kernel_.body.instructions[*set];
  const bool loads = unknown.op == ptx::Op::kLd || unknown.op == ptx::Op::kAtom;
  return std::string(loads ? "its address was read from memory"
                           : "its address is not linear in the numbers of thread, block and loop "
                             "iterations") +
         ", by '" + text(*set) + "' at " + place_(*set);
}

std::string Explainer::why(const Proof& proof, const Answer& answer, std::uint32_t access) const {
  const Reason& reason = answer.reasons[access];
  const std::string own = doubt(proof, answer, access);
  if (reason.kind == Reason::Kind::kNone) return "";
  if (reason.kind == Reason::Kind::kOthers) {
    if (!own.empty()) return own + "; so it is unknown which memory it accesses";
    return "it accesses memory that other code may use";
  }
  const bool is_across = reason.kind == Reason::Kind::kAcross;
  const std::string who = is_across ? "a thread of another block" : "another thread of the block";
  const std::string between = is_across ? "" : ", without a barrier in between";
  const Access& other = proof.accesses[reason.with];
  const std::string what = other.is_atomic ? "the atomic" : other.writes ? "the store" : "the load";
  const std::string where =
      reason.with == access ? "the same instruction" : what + " at " + place_(other.instruction);
  if (!own.empty()) return own + "; " + who + " may access the same address in " + where + between;
  const std::string others = doubt(proof, answer, reason.with);
  if (!others.empty())
    return who + " may access the same address in " + where + between + ": of that, " + others;
  return who + " can access the same address in " + where + between;
}

}  // namespace redflag::prove
