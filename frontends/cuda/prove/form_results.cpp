// Forms: what an instruction makes of its operands' forms.
//
// Sums, products by terms and shifts by them stay exact; any arithmetic of terms alone is a term. Of the rest a few ways
// to write a warp's and a lane's number, or a conversion, are known by sight. What is not here is unknown.
#include "frontends/cuda/prove/compare.h"
#include "frontends/cuda/prove/forms.h"

namespace redflag::prove {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

Form Forms::parameter(const Instruction& from, unsigned into) {
  const Operand& address = from.operands()[1];
  const Kind kind = kind_of(from.type());
  const bool is_parameter = address.base == OperandKind::kSymbol &&
                            address.symbol_kind == ptx::SymbolKind::kLocal &&
                            function_.variables[address.index].space == Space::kParam;
  if (!is_parameter || !kind.is_whole || from.modifiers.vector > 1) return unknown(64);
  const std::uint32_t which = address.index - function_.return_count;
  if (which >= function_.parameter_count) return unknown(64);
  const TermId id = terms_.make({.op = TermOp::kParameter,
                                 .bits = static_cast<std::uint8_t>(kind.bits),
                                 .is_signed = kind.is_signed,
                                 .value = places_[which].offset + address.value});
  // A register may be wider than what is loaded; terms of 32 bits are kept with their sign.
  if (kind.bits == 32 && into > 32) return widened(term(id), kind.is_signed);
  if (kind.bits != 64) return term(id);
  Form made;  // it may be a pointer
  made.pointers.push_back(id);
  return made;
}

// Of numbers that are the same for all threads.
Form Forms::computed(const Instruction& from, std::uint32_t at, TermOp op, unsigned bits,
                     bool is_signed) {
  const auto operands = from.operands();
  const std::optional<TermId> a = as_term(of(operands[1], at)), b = as_term(of(operands[2], at));
  if (!a || !b) {
    // Some bits of a pointer are a number, or may be one still.
    Form made = unknown(bits);
    if (bits == 64)
      made.is_wild = of(operands[1], at).is_wild || of(operands[2], at).is_wild ||
                     !of(operands[1], at).pointers.empty() || !of(operands[2], at).pointers.empty();
    return made;
  }
  return term(terms_.make({.op = op,
                           .bits = static_cast<std::uint8_t>(bits),
                           .is_signed = is_signed,
                           .a = *a,
                           .b = *b}));
}

bool Forms::is_thread_in_x(const Form& value) const {
  return value.is_exact && !value.is_wild && value.symbol < 0 && value.pointers.empty() &&
         value.parts.size() == 1 && value.parts[0].variable == kThread &&
         terms_.literal(value.parts[0].by) == 1 && terms_.literal(value.constant) == 0;
}

std::optional<Form> Forms::row_or_lane(const Instruction& from, std::uint32_t at) {
  const auto operands = from.operands();
  const std::optional<TermId> by = as_term(of(operands[2], at));
  const std::optional<std::int64_t> number = by ? terms_.literal(*by) : std::nullopt;
  if (!number) return {};
  if (!is_thread_in_x(of(operands[1], at))) return {};
  if (from.op == Op::kShr && *number == 31) return term(kZero);  // its sign
  const bool is_row =
      (from.op == Op::kShr && *number == 5) || (from.op == Op::kDiv && *number == 32);
  const bool is_lane =
      (from.op == Op::kAnd && *number == 31) || (from.op == Op::kRem && *number == 32);
  if (is_row) return variable(kRow);
  if (is_lane) return variable(kLane);
  return {};
}

bool Forms::is_from_environment(const Operand& operand, std::uint32_t at) const {
  if (operand.kind == OperandKind::kSpecial) return operand.special() == ptx::Special::kEnvreg;
  if (!operand.is_register()) return false;
  const std::optional<std::uint32_t> from = definition(operand.reg(), at);
  if (!from) return false;
  const Instruction& moves = function_.body.instructions[*from];
  if (moves.op != Op::kMov && moves.op != Op::kCvt) return false;
  return is_from_environment(moves.operands()[1], *from);
}

// Shifts that compilers make of other things: (x << 32) >> k is x of 32 bits, made longer, times 2^(32 - k);
// (x >> a) & ~(2^b - 1) is x / 2^(a + b) * 2^b.
std::optional<Form> Forms::shifted_back(const Instruction& from, std::uint32_t at) {
  const auto operands = from.operands();
  const std::optional<TermId> by = as_term(of(operands[2], at));
  const std::optional<std::int64_t> number = by ? terms_.literal(*by) : std::nullopt;
  if (!number || !operands[1].is_register()) return {};
  const std::optional<std::uint32_t> inner = definition(operands[1].reg(), at);
  if (!inner) return {};
  const Instruction& shift = function_.body.instructions[*inner];
  const auto of_shift = shift.operands();
  if (of_shift.size() < 3 || of_shift[2].kind != OperandKind::kImmediate) return {};
  const std::int64_t first = of_shift[2].value;
  const bool is_long = kind_of(from.type()).bits == 64;
  if (from.op == Op::kShr && shift.op == Op::kShl && is_long && first == 32 && *number <= 32 &&
      *number >= 0 && kind_of(shift.type()).bits == 64) {
    Form narrow = of(of_shift[1], *inner);
    if (!narrow.pointers.empty()) return {};
    const bool is_signed = kind_of(from.type()).is_signed;
    return scaled(widened(narrow, is_signed), terms_.number(std::int64_t{1} << (32 - *number)));
  }
  const bool keeps_upper = from.op == Op::kAnd && shift.op == Op::kShr && !is_long &&
                           kind_of(shift.type()).bits == 32 && !kind_of(shift.type()).is_signed &&
                           first >= 0 && first < 5;
  if (!keeps_upper) return {};
  const std::int64_t low = 5 - first;
  const std::int64_t upper = (std::int64_t{1} << (32 - first)) - (std::int64_t{1} << low);
  if ((*number & 0xffffffff) != upper || !is_thread_in_x(of(of_shift[1], *inner))) return {};
  return scaled(variable(kRow), terms_.number(std::int64_t{1} << low));
}

Form Forms::of_system() {
  Form made;
  made.pointers.push_back(terms_.make({.op = TermOp::kSystem}));
  return made;
}

Form Forms::result(std::uint32_t at) {
  const Instruction& from = function_.body.instructions[at];
  const auto operands = from.operands();
  const Kind kind = kind_of(from.type());
  const bool is_plain = !operands.empty() && operands[0].is_register() &&
                        operands[0].component == ptx::Component::kNone;
  if (!is_plain) return unknown(64);
  const unsigned into = ptx::info(function_.body.registers[operands[0].index].type).bits;
  if (from.op == Op::kLd) {
    const bool is_parameter =
        from.modifiers.space == Space::kParam || from.modifiers.space == Space::kParamEntry;
    return is_parameter ? parameter(from, into) : unknown(into);
  }
  if (!kind.is_whole || from.modifiers.sat || from.modifiers.carry) return unknown(into);
  if (from.op == Op::kShr || from.op == Op::kAnd || from.op == Op::kDiv || from.op == Op::kRem) {
    if (std::optional<Form> made = row_or_lane(from, at)) return std::move(*made);
    if (std::optional<Form> made = shifted_back(from, at)) return std::move(*made);
  }
  switch (from.op) {
    case Op::kMov: {
      const auto parts = operands[1].parts();
      const bool is_given = parts.size() == 2 && is_from_environment(parts[0], at) &&
                            is_from_environment(parts[1], at);
      if (is_given && kind.bits == 64) return of_system();
      return kind.bits == 32 || kind.bits == 64 ? of(operands[1], at) : unknown(into);
    }
    case Op::kBfi: {
      const bool is_given = kind.bits == 64 && is_from_environment(operands[1], at) &&
                            is_from_environment(operands[2], at);
      return is_given ? of_system() : unknown(into);
    }
    case Op::kCvta:
      return from.modifiers.space == Space::kGlobal ? of(operands[1], at) : unknown(into);
    case Op::kAdd:
    case Op::kSub:
      if (kind.bits < 32) return unknown(into);
      return sum(of(operands[1], at), of(operands[2], at), from.op == Op::kSub);
    case Op::kNeg:
      return kind.bits < 32 ? unknown(into) : sum(number(0), of(operands[1], at), true);
    case Op::kNot:  // -x - 1
      return kind.bits < 32 ? unknown(into) : sum(number(-1), of(operands[1], at), true);
    case Op::kMul:
    case Op::kMad: {
      if (kind.bits < 32 || from.modifiers.half == ptx::Half::kHi) return unknown(into);
      const bool is_wide = from.modifiers.half == ptx::Half::kWide;
      if (is_wide && kind.bits != 32) return unknown(into);
      Form a = of(operands[1], at), b = of(operands[2], at);
      if (is_wide) {
        a = widened(a, kind.is_signed);
        b = widened(b, kind.is_signed);
      }
      const Form made = product(a, b);
      return from.op == Op::kMul ? made : sum(made, of(operands[3], at), false);
    }
    case Op::kShl: {
      if (kind.bits < 32) return unknown(into);
      const std::optional<TermId> by = as_term(of(operands[2], at));
      if (!by) return unknown(32);
      const TermId factor = terms_.make({.op = TermOp::kShl,
                                         .bits = static_cast<std::uint8_t>(kind.bits),
                                         .a = terms_.number(1),
                                         .b = *by});
      return scaled(of(operands[1], at), factor);
    }
    case Op::kShr:
      return kind.bits < 32 ? unknown(into)
                            : computed(from, at, TermOp::kShr, kind.bits, kind.is_signed);
    case Op::kDiv:
      return computed(from, at, TermOp::kDiv, kind.bits, kind.is_signed);
    case Op::kRem:
      return computed(from, at, TermOp::kRem, kind.bits, kind.is_signed);
    case Op::kMin:
      return computed(from, at, TermOp::kMin, kind.bits, kind.is_signed);
    case Op::kMax:
      return computed(from, at, TermOp::kMax, kind.bits, kind.is_signed);
    case Op::kAnd:
      return computed(from, at, TermOp::kAnd, kind.bits, false);
    case Op::kOr:
      return computed(from, at, TermOp::kOr, kind.bits, false);
    case Op::kXor:
      return computed(from, at, TermOp::kXor, kind.bits, false);
    case Op::kCvt: {
      const Kind source = kind_of(from.modifiers.types[1]);
      if (!source.is_whole || source.bits < 32 || kind.bits < 32) return unknown(32);
      if (kind.bits != into) return unknown(into);
      Form value = of(operands[1], at);
      if (kind.bits == 64 && source.bits == 32) return widened(value, source.is_signed);
      if (kind.bits == source.bits) return value;
      // The lower half of a number.
      const std::optional<TermId> whole = as_term(value);
      if (!whole) return value.is_exact && value.pointers.empty() ? value : unknown(32);
      return term(terms_.make({.op = TermOp::kAdd, .bits = 32, .a = *whole, .b = kZero}));
    }
    case Op::kSelp: {
      const std::optional<TermId> is = condition(operands[3], at);
      const std::optional<TermId> a = as_term(of(operands[1], at));
      const std::optional<TermId> b = as_term(of(operands[2], at));
      if (!is || !a || !b) {
        Form made = unknown(into);
        const Form x = of(operands[1], at), y = of(operands[2], at);
        if (!x.is_wild && !y.is_wild && x.pointers == y.pointers && x.symbol == y.symbol) {
          made.is_wild = false;
          made.pointers = x.pointers;
          made.symbol = x.symbol;
        }
        return made;
      }
      return term(terms_.make({.op = TermOp::kSelect, .a = *a, .b = *b, .c = *is}));
    }
    default:
      return unknown(into);
  }
}

}  // namespace redflag::prove
