#include "frontends/cuda/rewrite/lines.h"

#include "frontends/cuda/rewrite/text.h"

#include <algorithm>
#include <bit>

namespace redflag::rewrite {

using ptx::Operand;
using ptx::OperandKind;
using ptx::RegId;
using ptx::Space;
using ptx::Type;

namespace {

std::uint64_t mask_of(std::uint32_t bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << (bytes & 7) * 8);
}

}  // namespace

Lines::Lines(const ptx::Module& module, const ptx::Function& function,
             const ptx::Instruction& instruction)
    : module_(module), function_(function), instruction_(instruction) {
  const auto add = [&](const Operand& operand, const auto& again) -> void {
    if (operand.is_register()) written_.push_back(operand.reg());
    for (const Operand& part : operand.parts()) again(part, again);
  };
  for (std::size_t i = 0; i < instruction.operands().size(); ++i) {
    if (role_of(instruction, i) == ptx::Role::kDestination) add(instruction.operands()[i], add);
  }
}

bool Lines::writes(RegId reg) const {
  return std::find(written_.begin(), written_.end(), reg) != written_.end();
}

unsigned Lines::bits(const Operand& operand) const {
  const ptx::Register& reg = function_.body.registers[operand.index];
  return reg.type == Type::kPred ? 1 : ptx::info(reg.type).bits;
}

std::string Lines::make(Type type) {
  std::string name = "%redflag_" + std::to_string(made_++);
  append(declarations, ".reg ." + std::string(ptx::info(type).name) + " " + name + ";");
  return name;
}

std::string Lines::text(const Operand& operand) const {
  std::string out;
  ptx::Printer(module_, out).operand(function_, operand);
  return out;
}

std::string Lines::stable(const Operand& operand) {
  std::string name = text(operand);
  if (!operand.is_register() || !writes(operand.reg())) return name;
  const unsigned width = bits(operand);
  const Type type = width == 1     ? Type::kPred
                    : width == 16  ? Type::kB16
                    : width == 32  ? Type::kB32
                    : width == 128 ? Type::kB128
                                   : Type::kB64;
  const std::string copy = make(type);
  line("mov." + std::string(ptx::info(type).name) + " " + copy + ", " + name + ";");
  return copy;
}

std::string Lines::address(const Operand& operand) {
  const OperandKind kind = operand.kind == OperandKind::kAddress ? operand.base : operand.kind;
  const std::string offset = number(static_cast<std::uint64_t>(operand.value));
  if (kind != OperandKind::kRegister) {
    const std::string at = make(Type::kB64);
    Operand named = operand;  // the address as a value
    named.kind = OperandKind::kSymbol;
    line("mov.u64 " + at + ", " + (kind == OperandKind::kSymbol ? text(named) : offset) + ";");
    return at;
  }
  Operand base = operand;
  base.kind = OperandKind::kRegister;
  base.value = 0;
  base.part_count = 0;
  const std::string name = text(base);
  const std::string at = make(Type::kB64);
  if (bits(base) == 64) {
    line("add.s64 " + at + ", " + name + ", " + offset + ";");
    return at;
  }
  const std::string narrow = make(Type::kB32);
  line("add.s32 " + narrow + ", " + name + ", " + offset + ";");
  line("cvt.u64.u32 " + at + ", " + narrow + ";");
  return at;
}

std::string Lines::narrow(const Operand& operand) {
  const OperandKind kind = operand.kind == OperandKind::kAddress ? operand.base : operand.kind;
  Operand base = operand;
  base.kind = OperandKind::kRegister;
  const std::string at = make(Type::kB32);
  if (kind == OperandKind::kRegister && bits(base) == 32) {
    base.value = 0;
    base.part_count = 0;
    const std::string offset = number(static_cast<std::uint64_t>(operand.value));
    line("add.s32 " + at + ", " + text(base) + ", " + offset + ";");
  } else {
    line("cvt.u32.u64 " + at + ", " + address(operand) + ";");
  }
  return at;
}

std::string Lines::generic(const Operand& operand, Space space) {
  std::string at = address(operand);
  if (!is_shared(space)) return at;
  const std::string wide = make(Type::kB64);
  line("cvta." + std::string(ptx::name_of(space)) + ".u64 " + wide + ", " + at + ";");
  return wide;
}

// A literal as a value of so many bytes. Decimal floats are doubles until here.
std::uint64_t Lines::literal(const Operand& operand, std::uint32_t element) const {
  auto bits = static_cast<std::uint64_t>(operand.value);
  if (operand.number_kind == ptx::NumberKind::kFloat32 && element == 8) {
    const double wide = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    bits = std::bit_cast<std::uint64_t>(wide);
  } else if (operand.number_kind == ptx::NumberKind::kFloat64 && element == 4) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  return bits & mask_of(element);
}

// One element, zero-extended to 64 bits: a register or a number.
std::string Lines::piece(const Operand& part, std::uint32_t element) {
  if (part.kind == OperandKind::kImmediate) return number(literal(part, element));
  if (part.kind == OperandKind::kDiscard || part.kind == OperandKind::kNone) return "0";
  const std::string wide = make(Type::kB64);
  if (!part.is_register()) {
    line("mov.u64 " + wide + ", " + text(part) + ";");
    return wide;
  }
  const std::string name = text(part);
  const unsigned width = bits(part);
  if (width == 128) {
    const std::string rest = make(Type::kB64);
    line("mov.b128 {" + wide + ", " + rest + "}, " + name + ";");
    return wide;
  }
  const Type type = width == 16 ? Type::kB16 : width == 32 ? Type::kB32 : Type::kB64;
  const std::string plain = width == 64 ? wide : make(type);
  line("mov.b" + std::to_string(width) + " " + plain + ", " + name + ";");
  if (width != 64) {
    line("cvt.u64.u" + std::to_string(width) + " " + wide + ", " + plain + ";");
  }
  if (element * 8 < width) {
    line("and.b64 " + wide + ", " + wide + ", " + number(mask_of(element)) + ";");
  }
  return wide;
}

std::string Lines::value(const Operand& data, std::uint32_t element) {
  const bool is_vector = data.kind == OperandKind::kVector;
  const std::span<const Operand> parts = is_vector ? data.parts() : std::span(&data, 1);
  std::string all = piece(parts[0], element);
  for (std::size_t i = 1; i < parts.size() && i * element < 8; ++i) {
    const std::string next = piece(parts[i], element);
    const std::string moved = make(Type::kB64);
    const std::string sum = make(Type::kB64);
    line("mov.b64 " + moved + ", " + next + ";");
    line("shl.b64 " + moved + ", " + moved + ", " + std::to_string(i * element * 8) + ";");
    line("or.b64 " + sum + ", " + moved + ", " + all + ";");
    all = sum;
  }
  return all;
}

std::string Lines::word(const Operand& operand) {
  if (operand.kind == OperandKind::kImmediate) {
    return number(literal(operand, 4));
  }
  if (operand.is_register() && bits(operand) == 32) return stable(operand);
  const std::string to = make(Type::kB32);
  if (operand.is_register()) {
    line("cvt.u32.u" + std::to_string(bits(operand)) + " " + to + ", " + text(operand) + ";");
  } else {
    line("mov.u32 " + to + ", " + text(operand) + ";");
  }
  return to;
}

std::string Lines::guard_register() {
  std::string name(function_.body.registers[ptx::raw(instruction_.guard)].name);
  if (!writes(instruction_.guard)) return name;
  if (guard_copy_.empty()) {
    guard_copy_ = make(Type::kPred);
    line("mov.pred " + guard_copy_ + ", " + name + ";");
  }
  return guard_copy_;
}

std::string Lines::guard() {
  if (!instruction_.guarded) return {};
  return (instruction_.guard_negated ? "@!" : "@") + guard_register() + " ";
}
std::string Lines::skip_guard() {
  if (!instruction_.guarded) return {};
  return (instruction_.guard_negated ? "@" : "@!") + guard_register() + " ";
}

}  // namespace redflag::rewrite
