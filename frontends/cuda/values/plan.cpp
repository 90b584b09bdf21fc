// From an instruction to its row: types, words, rounding and operands must all fit.
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "frontends/cuda/values/levels.h"
#include "frontends/cuda/values/prepare.h"
#include "frontends/cuda/values/row.h"
#include "frontends/cuda/values/unsupported.h"
#include "frontends/cuda/values/value_op.h"

namespace redflag::cuda {
namespace values {
namespace {

using ptx::ModClass;
using ptx::Operand;
using ptx::OperandKind;

constexpr ptx::Op kOps[] = {
    ptx::Op::kUnknown,
#define OP(name, ...) ptx::Op::k##name,
#include "frontends/cuda/ptx/opcodes.inc"
#undef OP
};
constexpr std::size_t kOpCount = std::size(kOps);

bool has_v3() {
#if defined(REDFLAG_VALUES_HAVE_V3)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

using Index = std::vector<std::vector<const Row*>>;
Index make_index(bool v3) {
  Index index(kOpCount);
  const auto add = [&](Rows rows) {
    for (const Row& each : rows) {
      // Generated tables have empty rows at their ends.
      if (each.run != nullptr) index[static_cast<std::size_t>(each.op)].push_back(&each);
    }
  };
#if defined(REDFLAG_VALUES_HAVE_V3)
  if (v3) {
#define FAMILY(name) add(v3::name##_rows());
    REDFLAG_VALUE_FAMILIES(FAMILY)
#undef FAMILY
    return index;
  }
#endif
  static_cast<void>(v3);
#define FAMILY(name) add(baseline::name##_rows());
  REDFLAG_VALUE_FAMILIES(FAMILY)
#undef FAMILY
  return index;
}
const Index& index_for(Level level) {
  static const Index best = make_index(has_v3());
  static const Index baseline = make_index(false);
  return level == Level::kBest ? best : baseline;
}

std::size_t count_parts(const Operand& operand) {
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kPair) {
    return operand.part_count;
  }
  return 1;
}
std::size_t count_widths(std::span<const std::uint8_t> bits) {
  std::size_t count = 0;
  while (count < bits.size() && bits[count] != 0) ++count;
  return count;
}
unsigned word_bits(unsigned bits) {
  return bits > 32 ? 64 : 32;
}

bool operands_fit(const Request& request, const Row& row) {
  const auto operands = request.instruction.operands();
  const std::size_t results = count_parts(operands[0]);
  std::size_t sources = 0;
  for (const Operand& each : operands.subspan(1)) sources += count_parts(each);
  switch (row.operands) {
    case Operands::kListed:
      return results == count_widths(row.result_bits) && sources == count_widths(row.source_bits);
    case Operands::kByRegister: {
      if (results != 1 || sources != count_widths(row.source_bits)) return false;
      const unsigned to = register_bits(request, operands[0], row.result_bits[0]);
      const unsigned from = register_bits(request, operands[1], row.source_bits[0]);
      return word_bits(to) == row.result_bits[0] && word_bits(from) == row.source_bits[0];
    }
    case Operands::kPack:
      return results == 1 && sources > 1;
    case Operands::kUnpack:
      return results > 1 && sources == 1;
    case Operands::kPrepared:
      return true;
  }
  return false;
}

// The words of an instruction as a row has them; false: one that selects nothing here.
bool collect_words(const ptx::Instruction& instruction, Words& words) {
  words = 0;
  for (const ptx::Mod each : instruction.mods()) {
    switch (ptx::class_of(each)) {
      case ModClass::kType:
      case ModClass::kRounding:
      case ModClass::kCompare:
      case ModClass::kShape:
      case ModClass::kCache:  // createpolicy's
        continue;
      case ModClass::kHalf:
        if (ptx::compares(instruction.op)) continue;  // lo and hi are comparisons
        break;
      case ModClass::kSync:  // mma.sync.aligned: all lanes take part anyway
        if (each == ptx::Mod::kSync || each == ptx::Mod::kAligned) continue;
        return false;
      case ModClass::kOperation:
        // Combining with a predicate is data for comparisons (prepare_predicate).
        if (ptx::compares(instruction.op)) continue;
        break;
      default:
        break;
    }
    const Words one = word(each);
    if (one == 0) return false;
    words |= one;
  }
  return true;
}

bool shape_fits(const ptx::Instruction& instruction, const Row& row) {
  std::array<std::uint16_t, 3> found = {};
  for (const ptx::Mod each : instruction.mods()) {
    if (ptx::class_of(each) != ModClass::kShape) continue;
    const ptx::Shape shape = ptx::shape_of(each);
    found = {shape.m, shape.n, shape.k};
  }
  return found == row.shape;
}

bool types_fit(const ptx::Instruction& instruction, const Row& row) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  for (std::size_t i = 0; i < row.types.size(); ++i) {
    // The first type of set is free: prepare_set knows which there are.
    const bool any = i == 0 && row.types[0] == ptx::Type::kNone;
    if (!any && row.types[i] != modifiers.types[i]) return false;
  }
  return true;
}

Failure refuse(const ptx::Instruction& instruction, const std::string& why) {
  return fail(std::to_string(instruction.line) + ": the emulator cannot compute '" +
              std::string(instruction.text) + "': " + why);
}

}  // namespace

Result<ValuePlan> plan_at(Level level, const ptx::Function& function,
                          const ptx::Instruction& instruction) {
  Words words = 0;
  const Request request{function, instruction};
  const auto& rows = index_for(level)[static_cast<std::size_t>(instruction.op)];
  if (instruction.operands().empty()) return refuse(instruction, "it has no operands");
  if (rows.empty()) {
    const char* reason = why_unsupported(instruction.op);
    return refuse(instruction, reason != nullptr ? reason : "it computes no value");
  }
  const char* reason = nullptr;
  if (collect_words(instruction, words)) {
    const Roundings rounding_bit = rounding(instruction.modifiers.rounding);
    for (const Row* row : rows) {
      if (row->words != words || (row->roundings & rounding_bit) == 0 ||
          row->compare != instruction.modifiers.compare || !types_fit(instruction, *row) ||
          !shape_fits(instruction, *row) || !operands_fit(request, *row)) {
        continue;
      }
      ValuePlan plan;
      plan.op = row->run;
      plan.constant = row->constant;
      for (std::size_t i = 0; i < row->result_bits.size(); ++i) {
        plan.result_bits[i] = row->result_bits[i];
      }
      for (std::size_t i = 0; i < row->source_bits.size(); ++i) {
        plan.source_bits[i] = row->source_bits[i];
      }
      if (row->prepare != nullptr) reason = row->prepare(request, plan);
      if (reason == nullptr) return plan;
    }
  }
  return refuse(instruction, reason != nullptr
                                 ? reason
                                 : "this combination of types, modifiers and operands of " +
                                       std::string(ptx::info(instruction.op).name) +
                                       " is not supported; use a supported form of the "
                                       "instruction, or run the program on a GPU");
}

}  // namespace values

bool is_value_op(ptx::Op op) {
  return !values::index_for(values::Level::kBest)[static_cast<std::size_t>(op)].empty();
}

Result<ValuePlan> plan_value_op(const ptx::Function& function,
                                const ptx::Instruction& instruction) {
  return values::plan_at(values::Level::kBest, function, instruction);
}

}  // namespace redflag::cuda
