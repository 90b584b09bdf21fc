// Operand: what an instruction reads, writes or goes to, resolved.
//
// A small tagged value: registers, labels, tables and symbols are numbers into the function or the
// module (ir.h), so that nobody compares names after parsing. Parts of vectors, tuples, pairs and of
// texture addresses are operands themselves, in the module's arena.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontends/cuda/ptx/special_register.h"

namespace redflag::ptx {

enum class RegId : std::uint32_t { kNone = 0xffffffff };
enum class LabelId : std::uint32_t {};
enum class TableId : std::uint32_t {};  // .branchtargets, .calltargets, .callprototype
enum class LocationId : std::uint32_t { kNone = 0xffffffff };
template <typename Id>
  requires std::is_enum_v<Id>
constexpr std::uint32_t raw(Id id) {
  return static_cast<std::uint32_t>(id);
}

enum class OperandKind : std::uint8_t {
  kNone,
  kDiscard,    // _
  kRegister,   // reg, component
  kImmediate,  // value, number_kind
  kSpecial,    // special(), special_number(), component
  kSymbol,     // the address of a symbol: symbol_kind, index, value (offset)
  kAddress,    // [base + value, parts...]; base is a register, a symbol or none
  kVector,     // {parts}
  kTuple,      // (parts): returns and arguments of a call
  kPair,       // parts[0] | parts[1]
  kLabel,      // label
  kTable,      // table
};

// Where a symbol's index points to.
enum class SymbolKind : std::uint8_t {
  kUnresolved,  // while parsing only
  kVariable,    // Module::variables
  kFunction,    // Module::functions
  kLocal,       // Function::variables: parameters, .local, .shared, .param of calls
};

enum class NumberKind : std::uint8_t {
  kSigned,    // value
  kUnsigned,  // value, as 64 bits
  kFloat32,   // the low 32 bits of value
  kFloat64,   // the bits of value; also what a decimal literal is
};

// .x .y .z .w of vectors (also written .r .g .b .a), .b0 to .b3 and .h0, .h1 of video operands. The
// selectors of several bytes that packed video instructions have make them Op::kUnknown.
enum class Component : std::uint8_t { kNone, kX, kY, kZ, kW, kB0, kB1, kB2, kB3, kH0, kH1 };

struct Operand {
  OperandKind kind = OperandKind::kNone;
  OperandKind base = OperandKind::kNone;  // of an address: kRegister, kSymbol or kNone
  SymbolKind symbol_kind = SymbolKind::kUnresolved;
  NumberKind number_kind = NumberKind::kSigned;
  Component component = Component::kNone;
  bool negated = false;  // !p; for a register of another type: -r
  bool unified = false;  // [a].unified
  // Number of a special register; of addresses 1 when an offset is written, be it 0: unoptimised code of
  // ptxas depends on it.
  std::uint8_t extra = 0;
  std::uint32_t index = 0;
  std::uint32_t part_count = 0;
  std::int64_t value = 0;
  Operand* part_data = nullptr;

  RegId reg() const { return static_cast<RegId>(index); }
  LabelId label() const { return static_cast<LabelId>(index); }
  TableId table() const { return static_cast<TableId>(index); }
  Special special() const { return static_cast<Special>(index); }
  std::span<const Operand> parts() const { return {part_data, part_count}; }
  std::span<Operand> parts() { return {part_data, part_count}; }

  bool is_register() const { return kind == OperandKind::kRegister; }
  bool has_base_register() const {
    return kind == OperandKind::kAddress && base == OperandKind::kRegister;
  }

  static Operand make_register(RegId reg) {
    return {.kind = OperandKind::kRegister, .index = raw(reg)};
  }
  static Operand make_integer(std::int64_t value) {
    return {.kind = OperandKind::kImmediate, .value = value};
  }
  static Operand make_address(RegId base, std::int64_t offset) {
    return {.kind = OperandKind::kAddress,
            .base = OperandKind::kRegister,
            .index = raw(base),
            .value = offset};
  }
};
static_assert(sizeof(Operand) == 32);

}  // namespace redflag::ptx
