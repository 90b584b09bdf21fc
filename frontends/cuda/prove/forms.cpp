#include "frontends/cuda/prove/forms.h"

#include <algorithm>

namespace redflag::prove {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegId;
using ptx::Space;
using ptx::Special;
using ptx::SymbolKind;
using ptx::TypeClass;

namespace {

constexpr int kMostDepth = 200;
constexpr std::uint32_t kMostSteps = 100000;

void collect(const Operand& operand, std::uint32_t at,
             std::vector<std::vector<std::uint32_t>>& to) {
  if (operand.is_register()) to[operand.index].push_back(at);
  for (const Operand& part : operand.parts()) collect(part, at, to);
}
bool is_whole_number(ptx::Type type) {
  const TypeClass is = ptx::info(type).type_class;
  const unsigned bits = ptx::info(type).bits;
  return (is == TypeClass::kBits || is == TypeClass::kUnsigned || is == TypeClass::kSigned) &&
         (bits == 32 || bits == 64);
}
bool is_signed(ptx::Type type) {
  return ptx::info(type).type_class == TypeClass::kSigned;
}
void unite(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
  for (const std::uint32_t each : from) {
    if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
  }
}

}  // namespace

bool Forms::has_open(const Form& form) {
  return std::any_of(form.parts.begin(), form.parts.end(),
                     [](const Part& each) { return each.variable >= kSelf; });
}

Forms::Forms(const ptx::Module& module, const ptx::Function& function, const ptx::Cfg& cfg,
             const Loops& loops, Proof& into)
    : module_(module),
      function_(function),
      cfg_(cfg),
      loops_(loops),
      into_(into),
      definitions_(function.body.registers.size()),
      known_(function.body.registers.size()),
      is_open_(function.body.registers.size()),
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

Form Forms::unknown(unsigned bits) {
  Form made;
  made.is_exact = false;
  made.is_wild = bits == 64;  // it may be a pointer
  return made;
}
Form Forms::number(std::int64_t value) {
  return term(terms_.number(value));
}
Form Forms::term(TermId id) {
  Form made;
  made.constant = id;
  return made;
}
Form Forms::variable(Variable which) {
  Form made;
  made.parts.push_back({which, terms_.number(1)});
  return made;
}

Form Forms::sum(const Form& a, const Form& b, bool subtract) {
  Form made = a;
  made.is_exact = a.is_exact && b.is_exact;
  made.is_wild = a.is_wild || b.is_wild;
  unite(made.checks, b.checks);
  if (b.symbol >= 0 && (a.symbol >= 0 || subtract)) made.is_wild = true;
  if (b.symbol >= 0) made.symbol = b.symbol;
  if (subtract && !b.pointers.empty()) made.is_wild = true;
  made.pointers.insert(made.pointers.end(), b.pointers.begin(), b.pointers.end());
  made.constant = terms_.add(a.constant, subtract ? terms_.negate(b.constant) : b.constant);
  for (const Part& each : b.parts) {
    const TermId by = subtract ? terms_.negate(each.by) : each.by;
    const auto at = std::find_if(made.parts.begin(), made.parts.end(),
                                 [&](const Part& part) { return part.variable >= each.variable; });
    if (at != made.parts.end() && at->variable == each.variable) {
      at->by = terms_.add(at->by, by);
    } else {
      made.parts.insert(at, {each.variable, by});
    }
  }
  std::erase_if(made.parts, [&](const Part& part) { return terms_.literal(part.by) == 0; });
  return made;
}

std::optional<TermId> Forms::as_term(const Form& form) {
  if (!form.is_exact || form.is_wild || !form.parts.empty() || form.symbol >= 0) return {};
  if (!form.checks.empty()) return {};
  TermId made = form.constant;
  for (const TermId each : form.pointers) made = terms_.add(made, each);
  return made;
}

Form Forms::scaled(const Form& form, TermId by) {
  Form made = form;
  made.constant = terms_.multiply(form.constant, by);
  for (Part& each : made.parts) each.by = terms_.multiply(each.by, by);
  std::erase_if(made.parts, [&](const Part& part) { return terms_.literal(part.by) == 0; });
  const bool is_once = terms_.literal(by) == 1;
  if (!is_once && form.symbol >= 0) made.is_wild = true;
  if (!is_once && !form.pointers.empty()) {
    // A number that the kernel was given.
    for (const TermId each : form.pointers) {
      made.constant = terms_.add(made.constant, terms_.multiply(each, by));
    }
    made.pointers.clear();
  }
  return made;
}

Form Forms::product(const Form& a, const Form& b) {
  if (const std::optional<TermId> by = as_term(b)) return scaled(a, *by);
  if (const std::optional<TermId> by = as_term(a)) return scaled(b, *by);
  Form made = unknown(32);
  made.is_wild = a.is_wild || b.is_wild;
  return made;
}

Form Forms::widened(const Form& form, bool is_signed) {
  if (!form.is_exact || form.is_wild) return unknown(32);  // a number
  if (form.symbol >= 0) return unknown(64);
  if (const std::optional<TermId> same = as_term(form)) {  // for all threads
    const TermId narrow = terms_.make({.op = TermOp::kAdd, .bits = 32, .a = *same, .b = kZero});
    if (is_signed) return term(narrow);
    return term(terms_.make(
        {.op = TermOp::kAnd, .a = narrow, .b = terms_.number(std::int64_t{0xffffffff})}));
  }
  Form made = form;
  const Check check{form, is_signed};
  const auto at = std::find(into_.checks.begin(), into_.checks.end(), check);
  made.checks.push_back(static_cast<std::uint32_t>(at - into_.checks.begin()));
  if (at == into_.checks.end()) into_.checks.push_back(check);
  return made;
}

bool Forms::dominates(std::uint32_t instruction, std::uint32_t other) const {
  const std::uint32_t a = ptx::raw(cfg_.block_of(instruction)), b = ptx::raw(cfg_.block_of(other));
  return a == b ? instruction < other : loops_.dominates(a, b);
}

std::optional<std::uint32_t> Forms::definition(RegId reg, std::uint32_t at) const {
  const std::vector<std::uint32_t>& all = definitions_[ptx::raw(reg)];
  if (all.size() != 1) return reaching(reg, at);
  if (function_.body.instructions[all[0]].guarded || !dominates(all[0], at)) return {};
  return all[0];
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
  if (is_open_[index]) return variable(kSelf + index);
  if (depth_ > kMostDepth || ++steps_ > kMostSteps) return unknown(bits);
  if (definitions_[index].size() > 1) return of_many(reg, at);
  const std::optional<std::uint32_t> from = definition(reg, at);
  if (!from) return unknown(bits);
  if (known_[index]) return *known_[index];
  ++depth_;
  Form made = result(*from);
  --depth_;
  if (bits != 64 && !made.is_exact && made.symbol < 0) made.is_wild = false;
  if (!has_open(made)) known_[index] = made;
  return made;
}

bool Forms::reaches(std::uint32_t definition, std::uint32_t at,
                    const std::vector<std::uint32_t>& definitions) const {
  const auto ends = [&](std::uint32_t from, std::uint32_t to) {  // another one between
    return std::any_of(definitions.begin(), definitions.end(),
                       [&](std::uint32_t each) { return each >= from && each < to; });
  };
  const std::uint32_t begin = ptx::raw(cfg_.block_of(definition));
  const std::uint32_t end = ptx::raw(cfg_.block_of(at));
  const std::vector<ptx::Block>& blocks = cfg_.blocks();
  if (begin == end && definition < at && !ends(definition + 1, at)) return true;
  if (ends(definition + 1, blocks[begin].end)) return false;
  std::vector<bool> seen(blocks.size());
  std::vector<std::uint32_t> open{begin};
  while (!open.empty()) {
    const std::uint32_t from = open.back();
    open.pop_back();
    for (const ptx::BlockId each : blocks[from].successors) {
      const std::uint32_t next = ptx::raw(each);
      if (next == end && !ends(blocks[next].begin, at)) return true;
      if (seen[next] || ends(blocks[next].begin, blocks[next].end)) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

std::optional<std::uint32_t> Forms::reaching(RegId reg, std::uint32_t at) const {
  const std::vector<std::uint32_t>& all = definitions_[ptx::raw(reg)];
  std::optional<std::uint32_t> found;
  for (const std::uint32_t each : all) {
    if (!reaches(each, at, all)) continue;
    if (found || function_.body.instructions[each].guarded || !dominates(each, at)) return {};
    found = each;
  }
  return found;
}

// A loop goes on with it, or several ways lead here: then only what all agree about is known.
Form Forms::of_many(RegId reg, std::uint32_t at) {
  const std::uint32_t index = ptx::raw(reg);
  const unsigned bits = ptx::info(function_.body.registers[index].type).bits;
  if (const std::optional<std::uint32_t> from = reaching(reg, at)) {
    ++depth_;
    Form made = result(*from);
    --depth_;
    if (bits != 64 && !made.is_exact && made.symbol < 0) made.is_wild = false;
    return made;
  }
  const std::optional<Induction>& found = induction(reg);
  if (found && loops_.all()[found->loop].has[ptx::raw(cfg_.block_of(at))]) {
    if (const std::optional<int> turns = ahead(*found, at)) {
      Form made = sum(found->first, scaled(variable(kFirstLoop + found->loop), found->step), false);
      if (*turns != 0) made = sum(made, term(found->step), false);
      return made;
    }
  }
  is_open_[index] = true;
  ++depth_;
  std::optional<Form> all;
  for (const std::uint32_t each : definitions_[index]) {
    Form one = result(each);
    const bool is_self = std::any_of(one.parts.begin(), one.parts.end(), [&](const Part& part) {
      return part.variable == kSelf + index;
    });
    if (is_self && one.pointers.empty() && one.symbol < 0 && !one.is_wild) continue;
    if (all && (all->pointers != one.pointers || all->symbol != one.symbol)) one.is_wild = true;
    all = std::move(one);
    if (all->is_wild) break;
  }
  --depth_;
  is_open_[index] = false;
  Form made = unknown(bits);
  if (!all || all->is_wild) return made;
  made.is_wild = false;
  made.pointers = all->pointers;
  made.symbol = all->symbol;
  return made;
}

const std::optional<Forms::Induction>& Forms::induction(RegId reg) {
  std::optional<std::optional<Induction>>& known = inductions_[ptx::raw(reg)];
  if (!known) {
    known.emplace();
    // Whoever asks on the way gets none, so that this ends.
    std::optional<Induction> found = find_induction(reg);
    inductions_[ptx::raw(reg)] = std::move(found);
  }
  return *inductions_[ptx::raw(reg)];
}

std::optional<Forms::Induction> Forms::find_induction(RegId reg) {
  const std::uint32_t index = ptx::raw(reg);
  const std::vector<std::uint32_t>& all = definitions_[index];
  if (all.size() != 2) return {};
  for (const std::uint32_t add : all) {
    const std::uint32_t other = add == all[0] ? all[1] : all[0];
    const std::uint32_t block = ptx::raw(cfg_.block_of(add));
    const int loop = loops_.innermost(block);
    if (loop < 0) continue;
    const NaturalLoop& turns = loops_.all()[static_cast<std::size_t>(loop)];
    const Instruction& goes_on = function_.body.instructions[add];
    if (goes_on.guarded || function_.body.instructions[other].guarded) continue;
    if (turns.has[ptx::raw(cfg_.block_of(other))]) continue;
    if (!loops_.dominates(ptx::raw(cfg_.block_of(other)), turns.header)) continue;
    // Once in every turn.
    if (!std::all_of(turns.latches.begin(), turns.latches.end(),
                     [&](std::uint32_t latch) { return loops_.dominates(block, latch); })) {
      continue;
    }
    is_open_[index] = true;
    ++depth_;
    Form step = result(add);
    --depth_;
    is_open_[index] = false;
    const auto self = std::find_if(step.parts.begin(), step.parts.end(), [&](const Part& part) {
      return part.variable == kSelf + index;
    });
    if (self == step.parts.end() || terms_.literal(self->by) != 1) continue;
    step.parts.erase(self);
    const std::optional<TermId> by = as_term(step);
    if (!by) continue;
    Induction made;
    made.step = *by;
    made.add = add;
    made.loop = static_cast<std::uint32_t>(loop);
    ++depth_;
    made.first = result(other);
    --depth_;
    if (has_open(made.first)) return {};
    return made;
  }
  return {};
}

std::optional<int> Forms::ahead(const Induction& of, std::uint32_t at) const {
  if (at == of.add) return 0;
  if (dominates(of.add, at)) return 1;  // in every turn, since in the first
  const NaturalLoop& loop = loops_.all()[of.loop];
  if (!loops_.reaches_in_turn(loop, of.add, at)) return 0;
  return {};
}

std::optional<TermId> Forms::condition(const Operand& predicate, std::uint32_t at) {
  if (!predicate.is_register()) return {};
  const std::optional<std::uint32_t> from = definition(predicate.reg(), at);
  if (!from) return {};
  const Instruction& test = function_.body.instructions[*from];
  if (test.op != Op::kSetp || test.operands().size() != 3 || !is_whole_number(test.type()) ||
      !test.operands()[0].is_register()) {
    return {};
  }
  const std::optional<TermId> a = as_term(of(test.operands()[1], *from));
  const std::optional<TermId> b = as_term(of(test.operands()[2], *from));
  if (!a || !b) return {};
  const auto bits = static_cast<std::uint8_t>(ptx::info(test.type()).bits);
  Term made{
      .op = TermOp::kLess, .bits = bits, .is_signed = is_signed(test.type()), .a = *a, .b = *b};
  bool negates = predicate.negated;
  switch (test.modifiers.compare) {
    case ptx::Compare::kLt:
      break;
    case ptx::Compare::kGe:
      negates = !negates;
      break;
    case ptx::Compare::kGt:
      std::swap(made.a, made.b);
      break;
    case ptx::Compare::kLe:
      std::swap(made.a, made.b);
      negates = !negates;
      break;
    case ptx::Compare::kEq:
      made.op = TermOp::kEqual;
      break;
    case ptx::Compare::kNe:
      made.op = TermOp::kEqual;
      negates = !negates;
      break;
    default:
      return {};
  }
  const TermId is = terms_.make(made);
  if (!negates) return is;
  return terms_.make({.op = TermOp::kXor, .a = is, .b = terms_.number(1)});
}

}  // namespace redflag::prove
