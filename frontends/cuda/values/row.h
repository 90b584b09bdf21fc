// Rows: one function for one combination of opcode, types and modifiers.
//
// Each family of instructions (integer.cpp, real.cpp, ...) is a constant table of rows. plan.cpp finds
// the row of an instruction: everything written behind the opcode must be in the row, so that a word
// nobody thought of is an error and never ignored. Rows are compiled once per level of the processor
// (levels.h) and hold nothing but constants: no code of the standard library may be compiled there, or
// the linker might choose the copy that needs a newer processor.
#pragma once

#include <array>
#include <cstdint>

#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/values/value_op.h"

namespace redflag::cuda::values {

// The words that select a function, as bits; types, roundings, comparisons and shapes are apart.
inline constexpr ptx::Mod kSelectingMods[] = {
    ptx::Mod::kSat,       ptx::Mod::kFtz,     ptx::Mod::kCc,         ptx::Mod::kLo,
    ptx::Mod::kHi,        ptx::Mod::kWide,    ptx::Mod::kApprox,     ptx::Mod::kFull,
    ptx::Mod::kRelu,      ptx::Mod::kMathNan, ptx::Mod::kXorSign,    ptx::Mod::kXorSignAbs,
    ptx::Mod::kSatFinite, ptx::Mod::kAnd,     ptx::Mod::kOr,         ptx::Mod::kXor,
    ptx::Mod::kWrap,      ptx::Mod::kClamp,   ptx::Mod::kLetterL,    ptx::Mod::kLetterR,
    ptx::Mod::kShiftAmt,  ptx::Mod::kF4e,     ptx::Mod::kB4e,        ptx::Mod::kRc8,
    ptx::Mod::kEcl,       ptx::Mod::kEcr,     ptx::Mod::kRc16,       ptx::Mod::kFinite,
    ptx::Mod::kInfinite,  ptx::Mod::kNumber,  ptx::Mod::kNotANumber, ptx::Mod::kNormal,
    ptx::Mod::kSubnormal, ptx::Mod::kAdd,     ptx::Mod::kMin,        ptx::Mod::kMax,
    ptx::Mod::kShr7,      ptx::Mod::kShr15,   ptx::Mod::kPo,         ptx::Mod::kRow,
    ptx::Mod::kCol,       ptx::Mod::kV2,      ptx::Mod::kV4,         ptx::Mod::kPopc,
    ptx::Mod::kNoFtz,     ptx::Mod::kV8,      ptx::Mod::kOob,        ptx::Mod::kTrans,
};
using Words = std::uint64_t;
inline constexpr std::size_t kSelectingCount = sizeof(kSelectingMods) / sizeof(kSelectingMods[0]);
static_assert(kSelectingCount <= 64);

constexpr Words word(ptx::Mod mod) {  // 0: it selects nothing
  for (std::size_t i = 0; i < kSelectingCount; ++i) {
    if (kSelectingMods[i] == mod) return Words{1} << i;
  }
  return 0;
}
template <typename... Mods>
constexpr Words words(Mods... mods) {
  return (Words{0} | ... | word(mods));
}

using Roundings = std::uint16_t;  // a set of ptx::Rounding
constexpr Roundings rounding(ptx::Rounding r) {
  return static_cast<Roundings>(1U << static_cast<unsigned>(r));
}
inline constexpr Roundings kUnrounded = rounding(ptx::Rounding::kNone);
inline constexpr Roundings kNearest = rounding(ptx::Rounding::kRn);
inline constexpr Roundings kDirected =
    rounding(ptx::Rounding::kRz) | rounding(ptx::Rounding::kRm) | rounding(ptx::Rounding::kRp);

// What plan.cpp puts into `shift` and `constant` besides; nullptr: done, else why it cannot be done.
struct Request {
  const ptx::Function& function;
  const ptx::Instruction& instruction;
};
using Prepare = const char* (*)(const Request& request, ValuePlan& plan);

// How the operands of an instruction are compared with a row's widths.
enum class Operands : std::uint8_t {
  kListed,      // as many as there are widths
  kByRegister,  // the same, of registers that need words of that width (cvt may have wider ones)
  kPack,        // one result of several parts
  kUnpack,      // several results
  kPrepared,    // any: prepare looks at them
};

struct Row {
  ptx::Op op = ptx::Op::kUnknown;
  std::array<ptx::Type, 4> types = {};
  Words words = 0;
  Roundings roundings = kUnrounded;
  ptx::Compare compare = ptx::Compare::kNone;
  std::array<std::uint16_t, 3> shape = {};  // m, n, k of matrices
  ValueOp run = nullptr;
  std::uint32_t constant = 0;  // what prepare finds in the plan
  Prepare prepare = nullptr;
  Operands operands = Operands::kListed;
  std::array<std::uint8_t, 4> result_bits = {};
  std::array<std::uint8_t, 4> source_bits = {};

  // Changes on the way into a table.
  constexpr Row with(Words more) const {
    Row row = *this;
    row.words |= more;
    return row;
  }
  constexpr Row rounded(Roundings set) const {
    Row row = *this;
    row.roundings = set;
    return row;
  }
  constexpr Row prepared(Prepare by) const {
    Row row = *this;
    row.prepare = by;
    return row;
  }
  constexpr Row comparing(ptx::Compare by) const {
    Row row = *this;
    row.compare = by;
    return row;
  }
  constexpr Row typed(std::array<ptx::Type, 4> as) const {
    Row row = *this;
    row.types = as;
    return row;
  }
};

struct Rows {
  const Row* first = nullptr;
  std::size_t count = 0;
  const Row* begin() const { return first; }
  const Row* end() const { return first + count; }
};
template <std::size_t N>
constexpr Rows rows_of(const std::array<Row, N>& table) {
  return {table.data(), N};
}

template <std::size_t... N>
constexpr auto join(const std::array<Row, N>&... tables) {
  std::array<Row, (N + ...)> all = {};
  std::size_t next = 0;
  const auto add = [&](const auto& table) {
    for (const Row& each : table) all[next++] = each;
  };
  (add(tables), ...);
  return all;
}
template <std::size_t N>
constexpr auto with(std::array<Row, N> table, Words more) {
  for (Row& each : table) each = each.with(more);
  return table;
}
template <std::size_t N>
constexpr auto prepared(std::array<Row, N> table, Prepare by) {
  for (Row& each : table) each = each.prepared(by);
  return table;
}

// Bits of `shift` where an instruction has a source predicate; kCombine selects and, or, xor.
inline constexpr std::uint16_t kCombineMask = 3;
inline constexpr std::uint16_t kCombineAnd = 1;
inline constexpr std::uint16_t kCombineOr = 2;
inline constexpr std::uint16_t kCombineXor = 3;
inline constexpr std::uint16_t kNegated = 4;       // !p, of the (last) source predicate
inline constexpr std::uint16_t kNegatedFirst = 8;  // of and.pred and the like: the first source

}  // namespace redflag::cuda::values
