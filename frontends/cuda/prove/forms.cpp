#include "frontends/cuda/prove/forms.h"

#include <algorithm>

#include "frontends/cuda/prove/compare.h"

namespace redflag::prove {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegId;
using ptx::Space;
using ptx::Special;
using ptx::SymbolKind;

namespace {

constexpr int kMostDepth = 200;
constexpr std::uint32_t kMostFormSteps = 100000;

void collect(const Operand& operand, std::uint32_t at,
             std::vector<std::vector<std::uint32_t>>& to) {
  if (operand.is_register()) to[operand.index].push_back(at);
  for (const Operand& part : operand.parts()) collect(part, at, to);
}

}  // namespace

Forms::Forms(const ptx::Module& module, const ptx::Function& function, const ptx::Cfg& cfg,
             const Loops& loops, Proof& into)
    : module_(module),
      function_(function),
      cfg_(cfg),
      loops_(loops),
      into_(into),
      places_(ptx::parameter_places(function)),
      definitions_(function.body.registers.size()),
      known_(function.body.registers.size()),
      is_open_(function.body.registers.size()),
      open_in_(function.body.registers.size(), -1),
      inductions_(function.body.registers.size()) {
  const std::vector<Instruction>& all = function.body.instructions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto operands = all[i].operands();
    for (std::size_t at = 0; at < operands.size(); ++at) {
      if (role_of(all[i], at) == ptx::Role::kDestination || all[i].op == Op::kUnknown) {
        collect(operands[at], i, definitions_);
      }
    }
  }
}

Form Forms::of_special(const Operand& operand) {
  const auto axis = static_cast<std::uint32_t>(operand.component) -
                    static_cast<std::uint32_t>(ptx::Component::kX);
  if (operand.component < ptx::Component::kX || axis > 2) return unknown(32);
  switch (operand.special()) {
    case Special::kTid:
      return variable(kThread + axis);
    case Special::kCtaid:
      return variable(kBlock + axis);
    case Special::kNtid:
      return term(terms_.make({.op = TermOp::kSize, .bits = 32, .value = axis}));
    case Special::kNctaid:
      return term(terms_.make({.op = TermOp::kSize, .bits = 32, .value = 3 + axis}));
    default:
      return unknown(32);
  }
}

Form Forms::of_symbol(const Operand& operand) {
  const bool is_local = operand.symbol_kind == SymbolKind::kLocal;
  if (!is_local && operand.symbol_kind != SymbolKind::kVariable) return unknown(64);
  const ptx::Variable& variable =
      is_local ? function_.variables[operand.index] : module_.variables[operand.index];
  if (variable.space == Space::kShared || variable.space == Space::kSharedCta) {
    // All that have no size of their own begin at one place.
    const bool is_dynamic = variable.bytes() == 0 || variable.linkage == ptx::Linkage::kExtern;
    Form made = number(operand.value);
    made.symbol =
        is_dynamic ? 0 : static_cast<std::int32_t>(2 * operand.index + (is_local ? 1 : 2));
    return made;
  }
  if (variable.space != Space::kGlobal || is_local) return unknown(64);
  const std::string name(variable.name);
  const auto at = std::find(into_.variables.begin(), into_.variables.end(), name);
  const auto index = at - into_.variables.begin();
  if (at == into_.variables.end()) into_.variables.push_back(name);
  Form made = number(operand.value);
  made.pointers.push_back(terms_.make({.op = TermOp::kVariable, .value = index}));
  return made;
}

Form Forms::of(const Operand& operand, std::uint32_t at) {
  if (operand.negated) return unknown(64);
  switch (operand.kind) {
    case OperandKind::kRegister:
      if (operand.component != ptx::Component::kNone) return unknown(64);
      return of_register(operand.reg(), at);
    case OperandKind::kImmediate:
      if (operand.number_kind == ptx::NumberKind::kFloat32 ||
          operand.number_kind == ptx::NumberKind::kFloat64) {
        return unknown(64);
      }
      return number(operand.value);
    case OperandKind::kSpecial:
      return of_special(operand);
    case OperandKind::kSymbol:
      return of_symbol(operand);
    default:
      return unknown(64);
  }
}

Form Forms::of_address(const Operand& address, std::uint32_t at) {
  if (address.kind != OperandKind::kAddress) return unknown(64);
  if (address.base == OperandKind::kRegister) {
    return sum(of_register(address.reg(), at), number(address.value), false);
  }
  return address.base == OperandKind::kSymbol ? of_symbol(address) : unknown(64);
}

Form Forms::of_register(RegId reg, std::uint32_t at) {
  const unsigned bits = ptx::info(function_.body.registers[ptx::raw(reg)].type).bits;
  const std::uint32_t index = ptx::raw(reg);
  if (is_open_[index]) {
    // What a register was before the loop says nothing of what it is in a turn.
    const int loop = open_in_[index];
    const bool is_now =
        loop < 0 || loops_.all()[static_cast<std::size_t>(loop)].has[ptx::raw(cfg_.block_of(at))];
    return is_now ? variable(kSelf + index) : unknown(bits);
  }
  if (depth_ > kMostDepth || ++steps_ > kMostFormSteps) return unknown(bits);
  if (definitions_[index].size() > 1) return of_many(reg, at);
  const std::optional<std::uint32_t> from = definition(reg, at);
  if (!from) return unknown(bits);
  if (known_[index]) return *known_[index];
  Form made = made_by(*from, bits);
  if (!has_open(made)) known_[index] = made;
  return made;
}

std::optional<TermId> Forms::condition(const Operand& predicate, std::uint32_t at) {
  if (!predicate.is_register()) return {};
  const std::optional<std::uint32_t> from = definition(predicate.reg(), at);
  if (!from) return {};
  const Instruction& test = function_.body.instructions[*from];
  const std::optional<Test> is = test_of(test);
  if (!is) return {};
  const std::optional<TermId> a = as_term(of(test.operands()[1], *from));
  const std::optional<TermId> b = as_term(of(test.operands()[2], *from));
  if (!a || !b) return {};
  const bool is_order = is->relation != Relation::kEqual && is->relation != Relation::kNotEqual;
  // a >= b is not a < b; a > b is b < a; a <= b is not b < a.
  const bool swaps = is->relation == Relation::kGreater || is->relation == Relation::kLessEqual;
  const bool negates = is->relation == Relation::kGreaterEqual ||
                       is->relation == Relation::kLessEqual || is->relation == Relation::kNotEqual;
  const TermId made = terms_.make({.op = is_order ? TermOp::kLess : TermOp::kEqual,
                                   .bits = static_cast<std::uint8_t>(is->kind.bits),
                                   .is_signed = is->kind.is_signed,
                                   .a = swaps ? *b : *a,
                                   .b = swaps ? *a : *b});
  if (negates == predicate.negated) return made;
  return terms_.make({.op = TermOp::kXor, .a = made, .b = terms_.number(1)});
}

}  // namespace redflag::prove
