// Operands: registers, numbers, symbols, addresses, vectors.
#include "frontends/cuda/ptx/parser_state.h"

namespace redflag::ptx {
namespace {

struct ComponentRow {
  std::string_view word;
  Component component;
};
constexpr ComponentRow kComponents[] = {
    {".x", Component::kX},   {".y", Component::kY},   {".z", Component::kZ},
    {".w", Component::kW},   {".r", Component::kX},   {".g", Component::kY},
    {".b", Component::kZ},   {".a", Component::kW},   {".b0", Component::kB0},
    {".b1", Component::kB1}, {".b2", Component::kB2}, {".b3", Component::kB3},
    {".h0", Component::kH0}, {".h1", Component::kH1},
};

}  // namespace

bool Parser::find_register(std::string_view name, RegId& reg) {
  const Meaning* meaning = names_.find(name);
  if (meaning != nullptr) {
    reg = static_cast<RegId>(meaning->index);
    return meaning->kind == NameKind::kRegister;
  }
  const Meaning* range = names_.find_range(name);
  if (range == nullptr) return false;
  const auto index = static_cast<std::uint32_t>(function_->body.registers.size());
  function_->body.registers.push_back({name, range->type, range->vector});
  names_.declare_member(name, *range, index);
  reg = static_cast<RegId>(index);
  return true;
}

void Parser::parse_component(Operand& operand) {
  if (token_.kind != TokenKind::kDot) return;
  for (const ComponentRow& row : kComponents) {
    if (row.word != token_.text) continue;
    operand.component = row.component;
    advance();
    return;
  }
  odd_operand_ = true;
  advance();
}

// Any number of "+ 4" and "- 4".
bool Parser::parse_offset(std::int64_t& offset) {
  while (token_.is('+') || token_.is('-')) {
    const bool minus = token_.is('-');
    const Token at = token_;
    advance();
    Constant constant;
    if (!parse_unary(constant, 0)) return false;
    if (!constant.is_integer()) return fault(at, "expected an integer offset");
    const auto by = static_cast<std::uint64_t>(constant.value);
    const auto old = static_cast<std::uint64_t>(offset);
    offset = static_cast<std::int64_t>(minus ? old - by : old + by);
  }
  return true;
}

bool Parser::parse_named(const Token& name, Operand& operand) {
  if (name.text == "_") {
    operand.kind = OperandKind::kDiscard;
    return true;
  }
  RegId reg = RegId::kNone;
  if (find_register(name.text, reg)) {
    operand.kind = OperandKind::kRegister;
    operand.index = raw(reg);
    parse_component(operand);
    return true;
  }
  if (const std::optional<SpecialRef> special = find_special(name.text)) {
    operand.kind = OperandKind::kSpecial;
    operand.index = static_cast<std::uint32_t>(special->special);
    operand.extra = special->number;
    parse_component(operand);
    return true;
  }
  operand.kind = OperandKind::kSymbol;
  if (const Meaning* meaning = names_.find(name.text); meaning != nullptr) {
    operand.symbol_kind = SymbolKind::kLocal;
    operand.index = meaning->index;
    return true;
  }
  const auto symbol = symbols_.find(name.text);
  if (symbol != symbols_.end()) {
    operand.symbol_kind = symbol->second.kind;
    operand.index = symbol->second.index;
    return true;
  }
  if (name.text.front() == '%') {
    return fault(name, "register '" + std::string(name.text) +
                           "' is not declared; declare it with .reg before its use");
  }
  operand.index = static_cast<std::uint32_t>(later_.size());
  later_.push_back(name);
  return true;
}

// !p of a predicate, -r of another register; anything else is kept as written.
bool Parser::parse_negated(const Token& name, bool predicate, Operand& operand) {
  if (!parse_named(name, operand)) return false;
  operand.negated = true;
  const bool is_predicate =
      operand.kind == OperandKind::kSpecial
          ? info(operand.special()).type == Type::kPred
          : operand.is_register() && function_->body.registers[operand.index].type == Type::kPred;
  const bool good = predicate ? is_predicate : operand.is_register() && !is_predicate;
  if (!good) odd_operand_ = true;
  return true;
}

bool Parser::parse_simple(Operand& operand) {
  if (token_.kind == TokenKind::kName) {
    const Token name = token_;
    advance();
    if (!parse_named(name, operand)) return false;
    if (operand.kind == OperandKind::kRegister && !in_address_ &&
        (token_.is('+') || token_.is('-'))) {
      odd_operand_ = true;  // ptxas adds it; no compiler writes it
      return parse_offset(operand.value);
    }
    if (operand.kind != OperandKind::kSymbol) return true;
    operand.extra = token_.is('+') || token_.is('-') ? 1 : 0;
    return parse_offset(operand.value);
  }
  if (token_.is('!')) {
    advance();
    Token name;
    if (!expect_name("a predicate", name)) return false;
    return parse_negated(name, true, operand);
  }
  if (token_.is('-')) {  // a number, or a video operand
    const Token minus = token_;
    advance();
    if (token_.kind == TokenKind::kName && token_.text != "WARP_SZ") {
      const Token name = token_;
      advance();
      return parse_negated(name, false, operand);
    }
    token_ = minus;
    lexer_.jump(minus.end(), minus.line);
  }
  Constant constant;
  if (token_.kind != TokenKind::kNumber && !token_.is('(') && !token_.is('-') && !token_.is('~') &&
      !token_.is('+')) {
    return expected("an operand");
  }
  if (!parse_constant(constant)) return false;
  operand.kind = OperandKind::kImmediate;
  operand.number_kind = constant.kind;
  operand.value = constant.value;
  return true;
}

// The elements go onto the scratch stack first: lists may stand in lists.
bool Parser::parse_list(char close, Operand& operand, int depth) {
  if (depth > kMaxNesting) return fault(token_, "these operands are nested too deeply");
  const std::size_t bottom = operands_.size();
  if (!token_.is(close)) {
    do {
      Operand part;
      if (!parse_operand(part, depth + 1)) return false;
      operands_.push_back(part);
    } while (accept(','));
  }
  if (!expect(close, "after the list")) return false;
  const std::span<Operand> kept = module_.keep(std::span<const Operand>(operands_).subspan(bottom));
  operands_.resize(bottom);
  operand.part_data = kept.data();
  operand.part_count = static_cast<std::uint32_t>(kept.size());
  return true;
}

// [base + offset], [texture, sampler, {coordinates}]
bool Parser::parse_address(Operand& operand) {
  Operand base;
  const Token at = token_;
  in_address_ = true;
  const bool good = parse_simple(base);
  in_address_ = false;
  if (!good) return false;
  operand.kind = OperandKind::kAddress;
  operand.component = base.component;
  operand.index = base.index;
  operand.value = base.value;
  switch (base.kind) {
    case OperandKind::kRegister:
      operand.base = OperandKind::kRegister;
      operand.extra = token_.is(']') || token_.is(',') ? 0 : 1;
      if (!parse_offset(operand.value)) return false;
      break;
    case OperandKind::kSymbol:
      operand.base = OperandKind::kSymbol;
      operand.symbol_kind = base.symbol_kind;
      operand.extra = base.extra;
      break;
    case OperandKind::kImmediate:
      if (base.number_kind == NumberKind::kFloat32 || base.number_kind == NumberKind::kFloat64) {
        return fault(at, "expected an address, found a float");
      }
      break;
    default:
      return fault(at, "expected an address: a register, a symbol or a number");
  }
  if (!token_.is(',')) return expect(']', "after the address");
  advance();
  return parse_list(']', operand, 0);
}

bool Parser::parse_operand(Operand& operand, int depth) {
  if (token_.is('[')) {
    advance();
    if (!parse_address(operand)) return false;
    operand.unified = accept_dot(".unified");
  } else if (token_.is('{')) {
    advance();
    operand.kind = OperandKind::kVector;
    if (!parse_list('}', operand, depth)) return false;
  } else if (!parse_simple(operand)) {
    return false;
  }
  if (!token_.is('|')) return true;
  advance();
  Operand pair[2] = {operand, {}};
  if (!parse_simple(pair[1])) return false;
  operand = {.kind = OperandKind::kPair, .part_count = 2};
  operand.part_data = module_.keep(std::span<const Operand>(pair)).data();
  return true;
}

// A label or the name of a table: found at the end of the function.
bool Parser::parse_code_reference(Operand& operand) {
  Token name;
  if (!expect_name("a label", name)) return false;
  operand.kind = OperandKind::kLabel;
  operand.index = static_cast<std::uint32_t>(later_.size());
  later_.push_back(name);
  return true;
}

// Operands that are in their place for good note where their names are to be put.
void Parser::note_later(std::span<Operand> operands) {
  for (Operand& each : operands) {
    const bool symbol = each.kind == OperandKind::kSymbol ||
                        (each.kind == OperandKind::kAddress && each.base == OperandKind::kSymbol);
    if (symbol && each.symbol_kind == SymbolKind::kUnresolved) {
      symbol_references_.push_back({&each, later_[each.index]});
    } else if (each.kind == OperandKind::kLabel) {
      code_references_.push_back({&each, 0, 0, scope_, later_[each.index]});
    }
    note_later(each.parts());
  }
}

}  // namespace redflag::ptx
