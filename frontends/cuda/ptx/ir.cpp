#include "frontends/cuda/ptx/ir.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/check.h"
#include "frontends/cuda/ptx/match.h"

namespace redflag::ptx {
namespace {

template <typename T>
std::span<T> copy(std::pmr::memory_resource& arena, std::span<const T> from) {
  if (from.empty()) return {};
  auto* to = static_cast<T*>(arena.allocate(from.size_bytes(), alignof(T)));
  std::copy(from.begin(), from.end(), to);
  return {to, from.size()};
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

}  // namespace

bool Instruction::has(Mod mod) const {
  return std::find(mod_data, mod_data + mod_count, mod) != mod_data + mod_count;
}

Role role_of(const Instruction& instruction, std::size_t at) {
  if (instruction.op == Op::kCall) {
    return at == kCallReturns     ? Role::kDestination
           : at == kCallArguments ? Role::kSource
                                  : Role::kTarget;
  }
  return match_role(info(instruction.op).operands, instruction.operands(), at);
}

std::uint64_t Variable::elements() const {
  std::uint64_t count = 1;
  for (const std::uint64_t each : dimensions) count = product(count, each);
  return count;
}

std::uint64_t Variable::bytes() const {
  // Opaque handles are 64-bit objects.
  const std::uint32_t one = info(type).type_class == TypeClass::kOpaque ? 8 : bytes_of(type);
  return product(elements(), std::uint64_t{one} * vector);
}

std::uint32_t Variable::alignment() const {
  if (align != 0) return align;
  return std::max<std::uint32_t>(bytes_of(type) * vector, 1);
}

const Directive* Function::directive(std::string_view with_dot) const {
  for (const Directive& each : directives) {
    if (each.name == with_dot) return &each;
  }
  return nullptr;
}

const Function* Module::find_function(std::string_view name) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name == name) return &callee(i);
  }
  return nullptr;
}

const Function& Module::callee(std::uint32_t index) const {
  const std::uint32_t meant = functions[index].alias_of;
  return functions[meant == kNoFunction ? index : meant];
}

const Variable* Module::find_variable(std::string_view name) const {
  for (const Variable& each : variables) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const File* Module::find_file(std::uint32_t number) const {
  for (const File& each : files) {
    if (each.number == number) return &each;
  }
  return nullptr;
}

std::span<Operand> Module::keep(std::span<const Operand> operands) {
  return copy(*arena, operands);
}

std::span<const Mod> Module::keep(std::span<const Mod> mods) {
  return copy(*arena, mods);
}

std::string_view Module::keep(std::string_view text) {
  const std::span<char> kept = copy(*arena, std::span<const char>(text.data(), text.size()));
  return {kept.data(), kept.size()};
}

Instruction Module::make(Op op, std::span<const Mod> mods, std::span<const Operand> operands) {
  REDFLAG_CHECK(operands.size() < 256 && mods.size() < 256);
  const std::span<const Mod> kept_mods = keep(mods);
  const std::span<Operand> kept = keep(operands);
  Instruction made;
  made.op = op;
  made.mod_data = kept_mods.data();
  made.mod_count = static_cast<std::uint8_t>(kept_mods.size());
  made.operand_data = kept.data();
  made.operand_count = static_cast<std::uint8_t>(kept.size());
  made.modifiers = decode(kept_mods, compares(op));
  return made;
}

}  // namespace redflag::ptx
