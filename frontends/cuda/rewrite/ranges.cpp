#include "frontends/cuda/rewrite/ranges.h"

#include <algorithm>
#include <optional>

#include "frontends/cuda/ptx/cfg.h"

namespace redflag::rewrite {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegId;

namespace {

class Loop {
 public:
  Loop(const ptx::Function& function, const std::vector<Plan>& plans,
       const std::vector<Verdict>& verdicts, const ptx::Block& before, const ptx::Block& body)
      : all_(function.body.instructions),
        registers_(function.body.registers),
        plans_(plans),
        verdicts_(verdicts),
        before_(before),
        body_(body) {}

  void find(std::vector<Range>& out) const {
    if (!is_plain()) return;
    const std::optional<std::uint32_t> count = turns();
    if (!count) return;
    for (std::uint32_t i = body_.begin; i < body_.end; ++i) {
      if (!is_word_of_shared(i)) continue;
      const Operand& address = *plans_[i].address;
      const std::optional<Step> step = step_of(address.reg());
      if (!step) continue;
      const std::int64_t moved = step->at < i ? step->by : 0;
      out.push_back({i, before_.end - 1, address.value + moved, step->by, *count});
    }
  }

 private:
  struct Step {
    std::uint32_t at = 0;  // instruction
    std::int64_t by = 0;
  };

  bool is_told(std::uint32_t i) const {
    const Action action = plans_[i].action;
    return action != Action::kNone && action != Action::kPrivate && action != Action::kConstant &&
           verdicts_[i] == Verdict::kKeep;
  }
  // Nothing orders, and the lanes are the same all the time.
  bool is_plain() const {
    for (std::uint32_t i = body_.begin; i + 1 < body_.end; ++i) {
      const Instruction& from = all_[i];
      if (from.op == Op::kUnknown || from.flow() != ptx::Flow::kNone) return false;
      const Action action = plans_[i].action;
      const bool accesses = action == Action::kLoad || action == Action::kStore;
      if (is_told(i) && (!accesses || from.guarded)) return false;
      const ptx::Effect effect = from.effect();
      const bool is_silent = effect == ptx::Effect::kNone || effect == ptx::Effect::kPrefetch;
      if (action == Action::kNone && !is_silent) return false;
    }
    return true;
  }
  bool is_word_of_shared(std::uint32_t i) const {
    const Plan& plan = plans_[i];
    if (plan.action != Action::kLoad || !is_told(i) || plan.what.bytes != 4) return false;
    if (plan.what.memory != device::Memory::kShared) return false;
    return plan.address->has_base_register() &&
           ptx::info(registers_[plan.address->index].type).bits == 32;
  }

  static bool names(const Operand& operand, RegId reg) {
    if (operand.is_register() && operand.reg() == reg) return true;
    const auto parts = operand.parts();
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Operand& part) { return names(part, reg); });
  }
  bool defines(std::uint32_t i, RegId reg) const {
    const auto operands = all_[i].operands();
    for (std::size_t at = 0; at < operands.size(); ++at) {
      if (role_of(all_[i], at) == ptx::Role::kDestination && names(operands[at], reg)) return true;
    }
    return false;
  }
  // The one instruction of the block that defines the register.
  std::optional<std::uint32_t> definition(const ptx::Block& block, RegId reg) const {
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (!defines(i, reg)) continue;
      if (found || all_[i].guarded) return std::nullopt;
      found = i;
    }
    return found;
  }
  // The register goes on by a constant in each turn.
  std::optional<Step> step_of(RegId reg) const {
    const std::optional<std::uint32_t> at = definition(body_, reg);
    if (!at || all_[*at].op != Op::kAdd || all_[*at].type() == ptx::Type::kF32) return std::nullopt;
    const auto operands = all_[*at].operands();
    const bool is_step = operands[1].is_register() && operands[1].reg() == reg &&
                         operands[2].kind == OperandKind::kImmediate;
    if (!is_step) return std::nullopt;
    return Step{*at, operands[2].value};
  }

  // How often it is gone through: the branch at its end asks the counter.
  std::optional<std::uint32_t> turns() const {
    const Instruction& branch = all_[body_.end - 1];
    if (branch.op != Op::kBra || !branch.guarded) return std::nullopt;
    const std::optional<std::uint32_t> test = definition(body_, branch.guard);
    if (!test || all_[*test].op != Op::kSetp) return std::nullopt;
    const Instruction& setp = all_[*test];
    const auto operands = setp.operands();
    const bool is_signed = setp.type() == ptx::Type::kS32;
    if (!is_signed && setp.type() != ptx::Type::kU32) return std::nullopt;
    if (operands.size() < 3 || !operands[0].is_register() || !operands[1].is_register() ||
        operands[2].kind != OperandKind::kImmediate ||
        std::any_of(operands.begin() + 3, operands.end(),
                    [](const Operand& each) { return each.kind != OperandKind::kNone; })) {
      return std::nullopt;
    }
    const RegId counter = operands[1].reg();
    const std::optional<Step> step = step_of(counter);
    const std::optional<std::uint32_t> start = definition(before_, counter);
    if (!step || step->at > *test || !start || all_[*start].op != Op::kMov) return std::nullopt;
    const Operand& first = all_[*start].operands()[1];
    if (first.kind != OperandKind::kImmediate) return std::nullopt;
    auto now = static_cast<std::uint32_t>(first.value);
    for (std::uint32_t count = 1; count <= kMostTurns; ++count) {
      now += static_cast<std::uint32_t>(step->by);
      const std::optional<bool> holds = compare(
          setp.modifiers.compare, now, static_cast<std::uint32_t>(operands[2].value), is_signed);
      if (!holds) return std::nullopt;
      if (*holds == branch.guard_negated) return count;
    }
    return std::nullopt;
  }
  static std::optional<bool> compare(ptx::Compare how, std::uint32_t a, std::uint32_t b,
                                     bool is_signed) {
    constexpr std::uint32_t kSign = 1U << 31;  // orders signed numbers as unsigned ones
    const std::uint32_t x = is_signed ? a ^ kSign : a, y = is_signed ? b ^ kSign : b;
    switch (how) {
      case ptx::Compare::kEq:
        return x == y;
      case ptx::Compare::kNe:
        return x != y;
      case ptx::Compare::kLt:
        return x < y;
      case ptx::Compare::kLe:
        return x <= y;
      case ptx::Compare::kGt:
        return x > y;
      case ptx::Compare::kGe:
        return x >= y;
      default:
        return std::nullopt;
    }
  }

  const std::vector<Instruction>& all_;
  const std::vector<ptx::Register>& registers_;
  const std::vector<Plan>& plans_;
  const std::vector<Verdict>& verdicts_;
  const ptx::Block& before_;
  const ptx::Block& body_;
};

}  // namespace

std::vector<Range> find_ranges(const ptx::Module& module, const ptx::Function& function,
                               const std::vector<Plan>& plans,
                               const std::vector<Verdict>& verdicts) {
  std::vector<Range> out;
  const ptx::Cfg cfg(module, function);
  const std::vector<ptx::Block>& blocks = cfg.blocks();
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const ptx::Block& body = blocks[i];
    const ptx::Block& before = blocks[i - 1];
    const auto goes_to = [](const ptx::Block& from, std::size_t to) {
      return std::any_of(from.successors.begin(), from.successors.end(),
                         [&](ptx::BlockId each) { return ptx::raw(each) == to; });
    };
    // It is entered from the block before it alone, which does nothing else.
    if (!goes_to(body, i) || !goes_to(before, i) || body.predecessors.size() != 2 ||
        before.successors.size() != 1 || before.end == before.begin || before.end != body.begin ||
        function.body.instructions[before.end - 1].flow() != ptx::Flow::kNone) {
      continue;
    }
    Loop(function, plans, verdicts, before, body).find(out);
  }
  return out;
}

}  // namespace redflag::rewrite
