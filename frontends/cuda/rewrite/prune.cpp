#include "frontends/cuda/rewrite/prune.h"

#include <algorithm>

#include "frontends/cuda/ptx/cfg.h"
#include "frontends/cuda/rewrite/origins.h"

namespace redflag::rewrite {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

namespace {

// Whether something may happen that orders this thread with others, or that nobody knows.
bool may_order(const Instruction& from, const Plan& plan) {
  switch (plan.action) {
    case Action::kPrivate:
    case Action::kConstant:
    case Action::kLoad:
    case Action::kStore:
    case Action::kTexture:
      return false;
    case Action::kSurface:
      return plan.what.deed == device::Deed::kAtomicRmw;
    case Action::kNone:
      break;
    default:
      return true;
  }
  if (from.op == ptx::Op::kUnknown || from.flow() != ptx::Flow::kNone) return true;
  const ptx::Effect effect = from.effect();
  return effect != ptx::Effect::kNone && effect != ptx::Effect::kPrefetch &&
         effect != ptx::Effect::kTexture;
}

bool redefines(const Instruction& from, ptx::RegId reg) {
  const auto names = [&](const Operand& operand, const auto& again) -> bool {
    if (operand.is_register() && operand.reg() == reg) return true;
    const auto parts = operand.parts();
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Operand& part) { return again(part, again); });
  };
  for (std::size_t at = 0; at < from.operands().size(); ++at) {
    const bool written = role_of(from, at) == ptx::Role::kDestination;
    if (written && names(from.operands()[at], names)) return true;
  }
  return false;
}

// One basic block at a time: what was accessed since something could order.
class Repeated {
 public:
  Repeated(const ptx::Function& function, const std::vector<Plan>& plans,
           std::vector<Verdict>& verdicts)
      : function_(function),
        plans_(plans),
        verdicts_(verdicts),
        versions_(function.body.registers.size()) {}

  void block(std::uint32_t begin, std::uint32_t end) {
    seen_.clear();
    end_ = end;
    for (std::uint32_t i = begin; i < end; ++i) {
      const Instruction& from = function_.body.instructions[i];
      const Action action = plans_[i].action;
      if (may_order(from, plans_[i])) seen_.clear();
      const bool plain = action == Action::kLoad || action == Action::kStore;
      if (plain && verdicts_[i] == Verdict::kKeep) access(i);
      for (std::size_t at = 0; at < from.operands().size(); ++at) {
        if (role_of(from, at) == ptx::Role::kDestination) redefine(from.operands()[at]);
      }
    }
  }

 private:
  struct Seen {
    std::uint32_t instruction = 0;
    std::uint64_t base = 0, guard = 0;  // versions
  };

  std::uint64_t version(ptx::RegId reg) const { return versions_[ptx::raw(reg)]; }
  void redefine(const Operand& operand) {
    if (operand.is_register()) ++versions_[operand.index];
    for (const Operand& part : operand.parts()) redefine(part);
  }
  std::uint64_t base_version(const Operand& address) const {
    return address.has_base_register() ? version(address.reg()) : 0;
  }

  // All bytes of `b` are among those of `a`.
  bool holds(const Seen& a, const Seen& b) const {
    const Plan& one = plans_[a.instruction];
    const Plan& other = plans_[b.instruction];
    const Operand& x = *one.address;
    const Operand& y = *other.address;
    return one.space == other.space && x.base == y.base && x.symbol_kind == y.symbol_kind &&
           x.index == y.index && x.component == y.component && a.base == b.base &&
           x.value <= y.value && y.value + other.what.bytes <= x.value + one.what.bytes;
  }
  // The same lanes execute both. An access of more lanes is not enough: they meet there, and so it is
  // ordered with what those lanes do next that do not execute the other one.
  bool same_lanes(const Seen& a, const Seen& b) const {
    const Instruction& one = function_.body.instructions[a.instruction];
    const Instruction& other = function_.body.instructions[b.instruction];
    return one.guarded == other.guarded && one.guard == other.guard &&
           one.guard_negated == other.guard_negated && a.guard == b.guard;
  }
  bool same_value(const Seen& a, const Seen& b) const {
    const Operand& x = *plans_[a.instruction].data;
    const Operand& y = *plans_[b.instruction].data;
    if (x.kind == OperandKind::kImmediate && y.kind == OperandKind::kImmediate) {
      return x.value == y.value && x.number_kind == y.number_kind;
    }
    return false;
  }
  bool writes(const Seen& which) const {
    return plans_[which.instruction].action == Action::kStore;
  }

  bool covers(const Seen& a, const Seen& b) const {
    const bool enough = !writes(b) || (writes(a) && same_value(a, b));
    return enough && holds(a, b) && same_lanes(a, b);
  }

  void access(std::uint32_t i) {
    const Instruction& from = function_.body.instructions[i];
    const Seen now{i, base_version(*plans_[i].address), from.guarded ? version(from.guard) : 0};
    const bool is_covered = std::any_of(seen_.begin(), seen_.end(), [&](const Seen& before) {
      return covers(before, now) && !covers(now, before);
    });
    if (is_covered && is_met_again(function_, plans_, verdicts_, i, end_)) {
      verdicts_[i] = Verdict::kRepeated;
      return;
    }
    std::erase_if(seen_, [&](const Seen& before) {
      const bool covered = covers(now, before) &&
                           is_met_again(function_, plans_, verdicts_, before.instruction, end_);
      if (covered) verdicts_[before.instruction] = Verdict::kRepeated;
      return covered;
    });
    seen_.push_back(now);
  }

  const ptx::Function& function_;
  const std::vector<Plan>& plans_;
  std::vector<Verdict>& verdicts_;
  std::vector<std::uint64_t> versions_;
  std::vector<Seen> seen_;
  std::uint32_t end_ = 0;  // of the block
};

}  // namespace

bool is_met_again(const ptx::Function& function, const std::vector<Plan>& plans,
                  const std::vector<Verdict>& verdicts, std::uint32_t instruction,
                  std::uint32_t end) {
  const std::vector<Instruction>& all = function.body.instructions;
  const Instruction& from = all[instruction];
  bool same_guard = true;
  for (std::uint32_t k = instruction + 1; k < end; ++k) {
    same_guard = same_guard && !(from.guarded && redefines(all[k - 1], from.guard));
    const Action action = plans[k].action;
    const bool untold = action == Action::kPrivate || action == Action::kConstant ||
                        verdicts[k] == Verdict::kPrivate || verdicts[k] == Verdict::kConstant ||
                        verdicts[k] == Verdict::kQuiet;
    if (untold) continue;
    if (action == Action::kNone && !may_order(all[k], plans[k])) continue;
    if (action == Action::kBarrier) return !all[k].guarded;
    const bool access =
        action == Action::kLoad || action == Action::kStore || action == Action::kAtomic;
    return access && same_guard && from.guarded == all[k].guarded && from.guard == all[k].guard &&
           from.guard_negated == all[k].guard_negated;
  }
  return false;
}

std::vector<Verdict> prune(const ptx::Module& module, const ptx::Function& function,
                           const std::vector<Plan>& plans) {
  const std::vector<Instruction>& all = function.body.instructions;
  std::vector<Verdict> verdicts(all.size(), Verdict::kKeep);
  if (all.empty()) return verdicts;
  const Origins origins(function);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Action action = plans[i].action;
    const bool access =
        action == Action::kLoad || action == Action::kStore || action == Action::kAtomic;
    if (!access) continue;
    if (all[i].has(ptx::Mod::kNc) || all[i].op == ptx::Op::kLdu) verdicts[i] = Verdict::kConstant;
    const Operand& address = *plans[i].address;
    if (plans[i].space != ptx::Space::kNone || !address.has_base_register()) continue;
    const Origin origin = origins.of(address.reg());
    if (origin == Origin::kPrivate) verdicts[i] = Verdict::kPrivate;
    if (origin == Origin::kConstant) verdicts[i] = Verdict::kConstant;
  }
  Repeated repeated(function, plans, verdicts);
  const ptx::Cfg cfg(module, function);
  for (const ptx::Block& block : cfg.blocks()) {
    repeated.block(block.begin, block.end);
  }
  return verdicts;
}

}  // namespace redflag::rewrite
