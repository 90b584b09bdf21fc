// Instructions, operands and numbers as text.
#include <charconv>

#include "frontends/cuda/ptx/printer.h"

namespace redflag::ptx {
namespace {

constexpr std::string_view kComponentNames[] = {"",    ".x",  ".y",  ".z",  ".w", ".b0",
                                                ".b1", ".b2", ".b3", ".h0", ".h1"};

std::string_view name_of(Component component) {
  return kComponentNames[static_cast<std::size_t>(component)];
}

// %pm3_64 has its number inside its name.
void append_special(std::string& out, const Operand& operand) {
  const SpecialInfo& row = info(operand.special());
  const bool inside = row.count > 0 && row.name.ends_with("_64");
  out += inside ? row.name.substr(0, row.name.size() - 3) : row.name;
  if (row.count > 0) out += std::to_string(operand.extra);
  if (inside) out += "_64";
}

}  // namespace

void Printer::signed_number(std::int64_t value) {
  char text[24];
  out_.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

void Printer::unsigned_number(std::uint64_t value) {
  char text[24];
  out_.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

void Printer::number(NumberKind kind, std::int64_t value) {
  if (kind == NumberKind::kSigned) return signed_number(value);
  if (kind == NumberKind::kUnsigned) {
    unsigned_number(static_cast<std::uint64_t>(value));
    if (value >= 0) out_ += "U";
    return;
  }
  const int digits = kind == NumberKind::kFloat32 ? 8 : 16;
  out_ += kind == NumberKind::kFloat32 ? "0f" : "0d";
  for (int i = digits - 1; i >= 0; --i) {
    out_ += "0123456789ABCDEF"[static_cast<std::uint64_t>(value) >> (4 * i) & 15];
  }
}

void Printer::offset(std::int64_t value, bool always) {
  if (value == 0 && !always) return;
  out_ += "+";  // ptxas knows no [a-8], but [a+-8]
  signed_number(value);
}

void Printer::symbol(const Function* function, SymbolKind kind, std::uint32_t index) {
  switch (kind) {
    case SymbolKind::kVariable:
      out_ += module_.variables[index].name;
      break;
    case SymbolKind::kFunction:
      out_ += module_.functions[index].name;
      break;
    case SymbolKind::kLocal:
      if (function != nullptr) out_ += function->variables[index].name;
      break;
    case SymbolKind::kUnresolved:
      break;
  }
}

void Printer::list(const Function& function, std::span<const Operand> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) out_ += ", ";
    operand(function, operands[i]);
  }
}

void Printer::address(const Function& function, const Operand& operand) {
  out_ += "[";
  if (operand.base == OperandKind::kRegister) {
    out_ += function.body.registers[operand.index].name;
    out_ += name_of(operand.component);
    offset(operand.value, operand.extra != 0);
  } else if (operand.base == OperandKind::kSymbol) {
    symbol(&function, operand.symbol_kind, operand.index);
    offset(operand.value, operand.extra != 0);
  } else {
    signed_number(operand.value);
  }
  if (operand.part_count > 0) {
    out_ += ", ";
    list(function, operand.parts());
  }
  out_ += operand.unified ? "].unified" : "]";
}

void Printer::operand(const Function& function, const Operand& operand) {
  if (operand.negated) {
    const bool predicate =
        operand.kind == OperandKind::kSpecial ||
        (operand.is_register() && function.body.registers[operand.index].type == Type::kPred);
    out_ += predicate ? "!" : "-";
  }
  switch (operand.kind) {
    case OperandKind::kNone:
      break;
    case OperandKind::kDiscard:
      out_ += "_";
      break;
    case OperandKind::kRegister:
      out_ += function.body.registers[operand.index].name;
      out_ += name_of(operand.component);
      break;
    case OperandKind::kImmediate:
      number(operand.number_kind, operand.value);
      break;
    case OperandKind::kSpecial:
      append_special(out_, operand);
      out_ += name_of(operand.component);
      break;
    case OperandKind::kSymbol:
      symbol(&function, operand.symbol_kind, operand.index);
      offset(operand.value, operand.extra != 0);
      break;
    case OperandKind::kAddress:
      address(function, operand);
      break;
    case OperandKind::kVector:
      out_ += "{";
      list(function, operand.parts());
      out_ += "}";
      break;
    case OperandKind::kTuple:
      out_ += "(";
      list(function, operand.parts());
      out_ += ")";
      break;
    case OperandKind::kPair:
      this->operand(function, operand.parts()[0]);
      out_ += "|";
      this->operand(function, operand.parts()[1]);
      break;
    case OperandKind::kLabel:
      out_ += function.body.labels[operand.index].name;
      break;
    case OperandKind::kTable:
      out_ += function.body.tables[operand.index].name;
      break;
  }
}

void Printer::call(const Function& function, const Instruction& instruction) {
  const std::span<const Operand> parts = instruction.operands();
  out_ += " ";
  if (parts[kCallReturns].part_count > 0) {
    operand(function, parts[kCallReturns]);
    out_ += ", ";
  }
  operand(function, parts[kCallTarget]);
  if (parts[kCallArguments].part_count > 0) {
    out_ += ", ";
    operand(function, parts[kCallArguments]);
  }
  if (parts[kCallTable].kind != OperandKind::kNone) {
    out_ += ", ";
    operand(function, parts[kCallTable]);
  }
}

void Printer::instruction(const Function& function, const Instruction& instruction) {
  if (instruction.op == Op::kUnknown) {
    out_ += instruction.text;
    return;
  }
  out_ += info(instruction.op).name;
  for (const Mod each : instruction.mods()) {
    out_ += ".";
    out_ += ptx::name_of(each);
  }
  if (instruction.op == Op::kCall) return call(function, instruction);
  if (instruction.operand_count == 0) return;
  out_ += " ";
  list(function, instruction.operands());
}

}  // namespace redflag::ptx
