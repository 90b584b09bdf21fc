#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values {
namespace {

using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

std::uint16_t combination(const ptx::Instruction& instruction) {
  if (instruction.has(Mod::kAnd)) return kCombineAnd;
  if (instruction.has(Mod::kOr)) return kCombineOr;
  if (instruction.has(Mod::kXor)) return kCombineXor;
  return 0;
}
std::size_t parts_of(const Operand& operand) {
  return operand.kind == OperandKind::kVector || operand.kind == OperandKind::kPair
             ? operand.part_count
             : 1;
}

}  // namespace

unsigned register_bits(const Request& request, const Operand& operand, unsigned otherwise) {
  if (operand.kind != OperandKind::kRegister) return otherwise;
  const unsigned bits = ptx::info(request.function.body.registers[operand.index].type).bits;
  return bits == 0 ? otherwise : bits;
}

const char* prepare_rounding(const Request& request, ValuePlan& plan) {
  plan.shift = static_cast<std::uint16_t>(request.instruction.modifiers.rounding);
  return nullptr;
}

const char* prepare_predicate(const Request& request, ValuePlan& plan) {
  const auto operands = request.instruction.operands();
  plan.shift = combination(request.instruction);
  if (operands.back().negated) plan.shift |= kNegated;
  switch (request.instruction.op) {
    case ptx::Op::kAnd:
    case ptx::Op::kOr:
    case ptx::Op::kXor:
      plan.shift &= static_cast<std::uint16_t>(~kCombineMask);
      if (operands[1].negated) plan.shift |= kNegatedFirst;
      break;
    case ptx::Op::kSetp:
    case ptx::Op::kSet:
      if ((plan.shift != 0) != (operands.size() == 4)) {
        return "a comparison is combined by .and, .or or .xor with one predicate after its "
               "operands";
      }
      if (operands.size() == 4) plan.source_bits[2] = 1;
      break;
    default:
      break;
  }
  return nullptr;
}

const char* prepare_set(const Request& request, ValuePlan& plan) {
  struct True {
    Type type;
    std::uint32_t value;
    bool pair;
  };
  // What a comparison that holds gives, by the type of the result; pairs have it in both halves.
  static constexpr True kTrue[] = {
      {Type::kU32, 0xffffffff, false},   {Type::kS32, 0xffffffff, false},
      {Type::kF32, 0x3f800000, false},   {Type::kU16, 0xffff, false},
      {Type::kS16, 0xffff, false},       {Type::kF16, 0x3c00, false},
      {Type::kBf16, 0x3f80, false},      {Type::kF16x2, 0x3c003c00, true},
      {Type::kBf16x2, 0x3f803f80, true}, {Type::kU32, 0xffffffff, true},
      {Type::kS32, 0xffffffff, true},
  };
  const ptx::Modifiers& modifiers = request.instruction.modifiers;
  const bool pair = ptx::info(modifiers.types[1]).lanes == 2;
  for (const True& each : kTrue) {
    if (each.type != modifiers.types[0] || each.pair != pair) continue;
    plan.constant = each.value;
    plan.result_bits[0] = static_cast<std::uint8_t>(ptx::info(each.type).bits);
    return prepare_predicate(request, plan);
  }
  return "the result of set must be u32, s32, u16, s16 or a float, and a pair for packed operands";
}

const char* prepare_lop3(const Request& request, ValuePlan& plan) {
  const auto operands = request.instruction.operands();
  if (operands[4].kind != OperandKind::kImmediate || operands[4].value < 0 ||
      operands[4].value > 255) {
    return "the table of lop3 must be a number from 0 to 255";
  }
  plan.constant = static_cast<std::uint32_t>(operands[4].value);
  plan.shift = combination(request.instruction);
  if (plan.shift == 0) return nullptr;
  if (operands.size() != 6) return "lop3 with .and or .or has a predicate as its last operand";
  if (operands[5].negated) plan.shift |= kNegated;
  plan.source_bits[4] = 1;
  return nullptr;
}

const char* prepare_mov(const Request& request, ValuePlan& plan) {
  const ptx::Instruction& instruction = request.instruction;
  const auto operands = instruction.operands();
  const auto bits = static_cast<std::uint8_t>(ptx::info(instruction.type()).bits);
  if (instruction.modifiers.vector > 1) {
    // Vector registers stand for as many registers as they have elements.
    for (unsigned i = 0; i < instruction.modifiers.vector && i < kMostResults; ++i) {
      plan.result_bits[i] = bits;
      plan.source_bits[i] = bits;
    }
    return nullptr;
  }
  const bool packs = parts_of(operands[1]) > 1;
  const std::size_t parts = parts_of(packs ? operands[1] : operands[0]);
  if (parts != 2 && parts != 4 && parts != 8) return "needed a vector of 2, 4 or 8 registers";
  const auto part = static_cast<std::uint8_t>(bits / parts);
  if (part < 8) return "needed parts of at least 8 bits";
  plan.constant = part;
  plan.shift = bits;
  for (std::size_t i = 0; i < parts && i < kMostResults; ++i)
    (packs ? plan.source_bits : plan.result_bits)[i] = part;
  (packs ? plan.result_bits : plan.source_bits)[0] = bits;
  return nullptr;
}

// constant: bits of the source, whether it is signed, the same of the result, bits of the register it
// goes to; see convert.h.
const char* prepare_convert(const Request& request, ValuePlan& plan) {
  const ptx::Modifiers& modifiers = request.instruction.modifiers;
  const ptx::TypeInfo& to = ptx::info(modifiers.types[0]);
  const ptx::TypeInfo& from = ptx::info(modifiers.types[1]);
  const unsigned whole = register_bits(request, request.instruction.operands()[0], to.bits);
  if (whole < to.bits) return "the register of the result is narrower than its type";
  plan.shift = static_cast<std::uint16_t>(modifiers.rounding);
  if (modifiers.ftz) plan.shift |= kConvertFlush;
  plan.constant = pack_conversion({.from = static_cast<std::uint8_t>(from.bits),
                                   .from_signed = from.type_class == ptx::TypeClass::kSigned,
                                   .to = static_cast<std::uint8_t>(to.bits),
                                   .to_signed = to.type_class == ptx::TypeClass::kSigned,
                                   .saturate = modifiers.sat,
                                   .whole = static_cast<std::uint8_t>(whole)});
  return nullptr;
}

const char* prepare_policy(const Request& request, ValuePlan& plan) {
  const auto operands = request.instruction.operands();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].kind == OperandKind::kAddress)
      return "cache policies of address ranges are not supported";
    plan.source_bits[i - 1] = request.instruction.has(Mod::kCvt) ? 64 : 32;
  }
  return nullptr;
}

const char* prepare_video(const Request& request, ValuePlan& plan) {
  const ptx::Instruction& instruction = request.instruction;
  const auto operands = instruction.operands();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  for (const Type type : {modifiers.types[0], modifiers.types[1], modifiers.types[2]}) {
    const bool missing = type == Type::kNone && modifiers.compare != ptx::Compare::kNone;
    if (type != Type::kU32 && type != Type::kS32 && !missing)
      return "the types of a video instruction must be u32 or s32";
  }
  // vset has two types, those of its sources.
  const bool sets = modifiers.types[2] == Type::kNone;
  const auto is_signed = [&](unsigned i) { return modifiers.types[i] == Type::kS32; };
  const std::size_t last = operands.size() - 1;
  plan.constant =
      pack_video({.a = operands[1].component,
                  .b = operands[2].component,
                  .d = operands[0].component,
                  .a_signed = is_signed(sets ? 0 : 1),
                  .b_signed = is_signed(sets ? 1 : 2),
                  .d_signed = !sets && is_signed(0),
                  .saturate = modifiers.sat,
                  .negate_product = operands[1].negated != operands[2].negated,
                  .negate_c = last == 3 && operands[3].negated,
                  .plus_one = instruction.has(Mod::kPo),
                  .wrap = instruction.has(Mod::kWrap),
                  .scale = static_cast<std::uint8_t>(instruction.has(Mod::kShr7)    ? 7
                                                     : instruction.has(Mod::kShr15) ? 15
                                                                                    : 0)});
  VideoSecond second = VideoSecond::kNone;
  if (last == 3) second = VideoSecond::kMerge;
  if (instruction.has(Mod::kAdd)) second = VideoSecond::kAdd;
  if (instruction.has(Mod::kMin)) second = VideoSecond::kMin;
  if (instruction.has(Mod::kMax)) second = VideoSecond::kMax;
  if (second != VideoSecond::kNone && last != 3)
    return "the second operation needs a third source operand";
  plan.shift =
      static_cast<std::uint16_t>(static_cast<unsigned>(second) |
                                 static_cast<unsigned>(modifiers.compare) << kVideoCompareShift);
  for (std::size_t i = 0; i < last; ++i) plan.source_bits[i] = 32;
  plan.result_bits[0] = 32;
  return nullptr;
}

// Registers of each operand: the elements of the matrix over 32 lanes, as many as fit into each. What
// wmma has of f16 and bf16 is fixed by the manual.
const char* prepare_matrix(const Request& request, ValuePlan& plan) {
  const ptx::Instruction& instruction = request.instruction;
  const auto operands = instruction.operands();
  if (operands.size() < 4) return "a matrix product needs four operands";
  std::size_t source = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto parts = operands[k].kind == OperandKind::kVector
                           ? std::span<const Operand>(operands[k].parts())
                           : std::span<const Operand>(&operands[k], 1);
    for (const Operand& each : parts) {
      const auto bits = static_cast<std::uint8_t>(register_bits(request, each, 32));
      if (k == 0) {
        if (source + (&each - parts.data()) >= kMostResults) return "too many registers";
        plan.result_bits[&each - parts.data()] = bits;
      } else {
        if (source >= kMostSources) return "too many registers";
        plan.source_bits[source++] = bits;
      }
    }
  }
  const std::size_t expected_result = plan.constant & 0xffU;
  const std::size_t expected_sources = (plan.constant >> 8) & 0xffU;
  std::size_t results = 0;
  while (results < kMostResults && plan.result_bits[results] != 0) ++results;
  return results == expected_result && source == expected_sources
             ? nullptr
             : "the number of registers in the fragments does not fit this shape";
}

}  // namespace redflag::cuda::values
