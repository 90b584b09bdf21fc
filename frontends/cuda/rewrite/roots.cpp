#include "frontends/cuda/rewrite/roots.h"

#include <algorithm>

namespace redflag::rewrite {

using device::Deed;
using device::Memory;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

namespace {

// What a register holds: a number, something unknown, or an address with that root (from 0).
constexpr int kUnseen = -3, kNumber = -2, kUnknown = -1;

int meet(int a, int b) {
  if (a == b || b == kUnseen) return a;
  return a == kUnseen ? b : kUnknown;
}
int sum(int a, int b) {
  if (a == kUnseen || b == kUnseen) return kUnseen;
  if (a == kNumber) return b;
  return b == kNumber ? a : kUnknown;
}

class Values {
 public:
  Values(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), values_(function.body.registers.size(), kUnseen) {
    for (bool again = true; again;) {
      again = false;
      for (const Instruction& each : function.body.instructions) {
        const auto operands = each.operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
          if (role_of(each, i) == ptx::Role::kDestination) {
            again = define(operands[i], result(each)) || again;
          }
        }
      }
    }
  }

  // The root of an address; kUnknown: it may point anywhere.
  int of_address(const Operand& address) {
    if (address.has_base_register()) return std::max(values_[address.index], kUnknown);
    return address.base == OperandKind::kSymbol ? of_symbol(address) : kUnknown;
  }
  std::vector<Root>& roots() { return roots_; }

 private:
  int add(const Root& root) {
    const auto at = std::find_if(roots_.begin(), roots_.end(),
                                 [&](const Root& each) { return each.is_same(root); });
    const auto index = static_cast<int>(at - roots_.begin());
    if (at == roots_.end()) roots_.push_back(root);
    return index;
  }
  int of_symbol(const Operand& symbol) {
    if (symbol.symbol_kind != SymbolKind::kVariable) return kUnknown;
    if (module_.variables[symbol.index].space != Space::kGlobal) return kUnknown;
    return add({SymbolKind::kVariable, symbol.index, 0, 0});
  }
  int of(const Operand& operand) {
    switch (operand.kind) {
      case OperandKind::kRegister:
        if (operand.component != ptx::Component::kNone) return kUnknown;
        return is_wide(operand) ? values_[operand.index] : kNumber;
      case OperandKind::kImmediate:
      case OperandKind::kSpecial:
        return kNumber;
      case OperandKind::kSymbol:
        return of_symbol(operand);
      default:
        return kUnknown;
    }
  }
  bool is_wide(const Operand& operand) const {
    return ptx::info(function_.body.registers[operand.index].type).bits == 64;
  }
  bool is_parameter(const Operand& address) const {
    if (address.base != OperandKind::kSymbol || address.symbol_kind != SymbolKind::kLocal) {
      return false;
    }
    return address.index >= function_.return_count &&
           address.index < function_.return_count + function_.parameter_count;
  }
  int loaded(const Instruction& from) {
    const Operand& address = from.operands()[1];
    const bool whole = ptx::bytes_of(from.type()) == 8 && from.modifiers.vector <= 1;
    if (!whole || !is_parameter(address)) return kUnknown;
    return add({SymbolKind::kLocal, address.index, address.value, 0});
  }
  // Nothing but numbers went in.
  int computed(const Instruction& from) {
    int out = kNumber;
    for (std::size_t i = 0; i < from.operands().size(); ++i) {
      if (role_of(from, i) == ptx::Role::kDestination) continue;
      const int one = of(from.operands()[i]);
      if (one == kUnseen) out = out == kNumber ? kUnseen : out;
      if (one >= kUnknown) return kUnknown;
    }
    return out;
  }

  int result(const Instruction& from) {
    const auto operands = from.operands();
    switch (from.op) {
      case Op::kLd:
        return loaded(from);
      case Op::kMov:
        return of(operands[1]);
      case Op::kCvta:
        return from.modifiers.space == Space::kGlobal ? of(operands[1]) : kUnknown;
      case Op::kAdd:
        return sum(of(operands[1]), of(operands[2]));
      case Op::kSub:
        return of(operands[2]) == kNumber ? of(operands[1]) : computed(from);
      case Op::kSelp:
        return meet(of(operands[1]), of(operands[2]));
      case Op::kMad:
        return of(operands[3]);
      case Op::kMul:
      case Op::kShl:
      case Op::kShr:
        return kNumber;
      case Op::kCvt:  // of 32 bits: a number
        return of(operands[1]);
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
      case Op::kMin:
      case Op::kMax:
      case Op::kNeg:
      case Op::kDiv:
      case Op::kRem:
        return computed(from);
      default:
        return kUnknown;
    }
  }
  bool define(const Operand& operand, int value) {
    bool changed = false;
    if (operand.is_register()) {
      int& known = values_[operand.index];
      const bool whole = operand.component == ptx::Component::kNone;
      const int now = meet(known, whole ? value : kUnknown);
      changed = now != known;
      known = now;
    }
    // Parts of vectors: a half of an address, or what was loaded.
    for (const Operand& part : operand.parts()) changed = define(part, kUnknown) || changed;
    return changed;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<int> values_;  // by register
  std::vector<Root> roots_;
};

std::uint32_t deed_of(const Plan& plan) {
  if (plan.action == Action::kLoad) return device::kRootReads;
  if (plan.action == Action::kStore) return device::kRootWrites;
  const bool is_wide = plan.what.scope != Scope::kBlock && plan.what.scope != Scope::kWarp &&
                       plan.what.scope != Scope::kCluster;
  const bool is_alone = plan.what.deed == Deed::kAtomicRmw && plan.what.order == Order::kRelaxed;
  return is_wide && is_alone ? device::kRootAtomics : device::kRootAll;
}

// Whether accesses of one kind race neither with themselves nor with those of the other kinds.
bool are_quiet(std::uint32_t deeds, std::uint32_t others) {
  if (deeds == device::kRootReads) return (others & ~device::kRootReads) == 0;
  return deeds == device::kRootAtomics && (others & ~device::kRootAtomics) == 0;
}

}  // namespace

Roots::Roots(const ptx::Module& module, const ptx::Function& function,
             const std::vector<Plan>& plans, const std::vector<Verdict>& verdicts) {
  const std::vector<Instruction>& all = function.body.instructions;
  Values values(module, function);
  std::vector<int> of(all.size(), kNone);
  std::uint32_t anywhere = 0;  // what is done through unknown addresses
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Plan& plan = plans[i];
    if (all[i].op == Op::kUnknown || all[i].flow() == ptx::Flow::kCall) return;
    if (!is_access(plan.action) || plan.action == Action::kPrivate ||
        plan.action == Action::kConstant || plan.action == Action::kMatrix) {
      continue;
    }
    if (plan.what.memory == Memory::kShared || plan.what.memory == Memory::kSharedCluster) continue;
    if (verdicts[i] == Verdict::kPrivate || verdicts[i] == Verdict::kConstant) continue;
    // No pointer leads into what a surface writes; a texture may be of any memory.
    if (plan.action == Action::kSurface) continue;
    if (plan.action == Action::kTexture) {
      anywhere |= device::kRootReads;
      continue;
    }
    const bool is_known = plan.action == Action::kLoad || plan.action == Action::kStore ||
                          plan.action == Action::kAtomic;
    if (!is_known) return;
    const int root = values.of_address(*plan.address);
    const std::uint32_t deed = deed_of(plan);
    if (root < 0) {
      anywhere |= deed;
    } else {
      values.roots()[static_cast<std::size_t>(root)].deeds |= deed;
      of[i] = root;
    }
  }
  // Roots that are accessed, in the order of their first use.
  std::vector<int> number(values.roots().size(), kNone);
  for (const int root : of) {
    if (root < 0 || number[static_cast<std::size_t>(root)] >= 0) continue;
    number[static_cast<std::size_t>(root)] = static_cast<int>(roots_.size());
    roots_.push_back(values.roots()[static_cast<std::size_t>(root)]);
  }
  bool any = false;
  of_.assign(all.size(), kNone);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (of[i] < 0) continue;
    const int root = number[static_cast<std::size_t>(of[i])];
    if (!are_quiet(roots_[static_cast<std::size_t>(root)].deeds, anywhere)) continue;
    of_[i] = root;
    any = true;
  }
  if (any && roots_.size() <= device::kMostRoots) return;
  roots_.clear();
  of_.clear();
}

std::uint32_t Roots::deeds() const {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    out |= roots_[i].deeds << (i * device::kRootDeedBits);
  }
  return out;
}

}  // namespace redflag::rewrite
