// Operands: registers, literals, special registers and symbols, as places that an operation can read.
#include <algorithm>
#include <bit>
#include <cstring>

#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"

namespace redflag::cuda {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

namespace {

// A literal as an operand of so many bits. Decimal floats are doubles until here.
std::uint64_t literal(const ptx::Operand& operand, unsigned bits) {
  const auto raw_bits = static_cast<std::uint64_t>(operand.value);
  switch (operand.number_kind) {
    case ptx::NumberKind::kFloat32:
      if (bits == 64) {
        const double wide = std::bit_cast<float>(static_cast<std::uint32_t>(raw_bits));
        return std::bit_cast<std::uint64_t>(wide);
      }
      return raw_bits;
    case ptx::NumberKind::kFloat64:
      if (bits == 32) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(raw_bits)));
      }
      return raw_bits;
    default:
      return raw_bits;
  }
}

}  // namespace

Ref Decoder::constant(std::uint64_t value, unsigned bits) {
  if (bits < 64 && bits > 1) value &= (std::uint64_t{1} << bits) - 1;
  const unsigned words = bits <= 32 ? 32 : bits;
  const auto found = constants_.find({value, words});
  if (found != constants_.end()) return found->second;
  const auto at = static_cast<std::uint32_t>(pool_.size());
  pool_.resize(pool_.size() + words_of(words));
  for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
    if (words == 32) {
      std::memcpy(pool_.data() + at + std::size_t{lane} * 4, &value, 4);
    } else {  // of 128 bits the low halves come first, the high ones are zero
      std::memcpy(pool_.data() + at + std::size_t{lane} * 8, &value, 8);
    }
  }
  const Ref ref = make_ref(Place::kPool, at);
  constants_[{value, words}] = ref;
  return ref;
}

Ref Decoder::temporary(unsigned bits) {
  const Ref ref = make_ref(Place::kFrame, temporary_);
  temporary_ += std::max<std::uint32_t>(words_of(bits), 64);
  return ref;
}

unsigned Decoder::register_bits(const Operand& operand) const {
  const ptx::Register& reg = function_.body.registers[operand.index];
  return reg.type == ptx::Type::kPred ? 1 : ptx::info(reg.type).bits;
}

Ref Decoder::register_ref(const Operand& operand) const {
  std::uint32_t at = registers_[operand.index];
  if (operand.component >= ptx::Component::kX && operand.component <= ptx::Component::kW) {
    at += (static_cast<std::uint32_t>(operand.component) -
           static_cast<std::uint32_t>(ptx::Component::kX)) *
          words_of(register_bits(operand));
  }
  return make_ref(Place::kFrame, at);
}

bool Decoder::is_taken(const Operand& result) const {
  if (result.kind == OperandKind::kDiscard) return false;
  return result.kind != OperandKind::kRegister || mentions_[result.index] > 1;
}

Result<Ref> Decoder::source(const Operand& operand, unsigned bits) {
  switch (operand.kind) {
    case OperandKind::kRegister: {
      const Ref ref = register_ref(operand);
      const unsigned has = register_bits(operand);
      if (operand.negated) {
        if (has != 1) return unsupported("a negated register as operand is not emulated");
        const Ref negated = temporary(1);
        emit(&do_not, {negated, ref}, 1);
        return negated;
      }
      if (bits > 1 && bits <= 32 && has == 64) {
        const Ref low = temporary(32);
        emit(&do_narrow, {low, ref}, 1);
        return low;
      }
      if (bits == 64 && has <= 32) {
        const Ref wide = temporary(64);
        emit(&do_widen, {wide, ref}, 1);
        return wide;
      }
      return ref;
    }
    case OperandKind::kImmediate:
      if (bits == 1) return constant(operand.value != 0 ? ~std::uint64_t{0} : 0, 32);
      return constant(literal(operand, bits), bits);
    case OperandKind::kSpecial:
      return special(operand, bits);
    case OperandKind::kSymbol:
      return address_of(operand, bits);
    case OperandKind::kDiscard:
      return make_ref(Place::kFrame, kScratch);
    default:
      return unsupported("an operand of this form is not emulated");
  }
}

Result<Ref> Decoder::special(const Operand& operand, unsigned bits) {
  using ptx::Special;
  const Special which = operand.special();
  unsigned component = 0;
  if (operand.component >= ptx::Component::kX && operand.component <= ptx::Component::kW) {
    component =
        static_cast<unsigned>(operand.component) - static_cast<unsigned>(ptx::Component::kX);
  }
  // Of the numbered environment registers the first four mean something (block.cpp).
  if (which == Special::kEnvreg) component = std::min<unsigned>(operand.extra, 3);
  const auto used = static_cast<std::uint8_t>(which);
  if (std::find(program_.specials.begin(), program_.specials.end(), used) ==
      program_.specials.end()) {
    program_.specials.push_back(used);
  }
  const Ref ref = make_ref(Place::kSpecial, special_offset(which, component));
  const bool changes = which == Special::kClock || which == Special::kClockHi ||
                       which == Special::kClock64 || which == Special::kGlobaltimer ||
                       which == Special::kGlobaltimerLo || which == Special::kGlobaltimerHi;
  if (changes) emit(&do_refresh, {ref}, 1).constant = used;
  const unsigned has = ptx::info(ptx::info(which).type).bits;
  if (bits == 64 && has <= 32) {
    const Ref wide = temporary(64);
    emit(&do_widen, {wide, ref}, 1);
    return wide;
  }
  if (bits <= 32 && has == 64) {
    const Ref low = temporary(32);
    emit(&do_narrow, {low, ref}, 1);
    return low;
  }
  return ref;
}

Result<Decoder::Symbol> Decoder::symbol(const Operand& operand) {
  Symbol found;
  if (operand.symbol_kind == SymbolKind::kFunction) {
    FunctionKey key{key_.module, operand.index};
    const std::string name(module_.ptx.functions[operand.index].name);
    if (!linker_.find_function(key)) program_.missing.push_back(name);
    found.address = function_address(key.module, key.function);
    return found;
  }
  if (operand.symbol_kind == SymbolKind::kLocal) {
    const ptx::Variable& variable = function_.variables[operand.index];
    found.space = variable.space;
    found.bytes = static_cast<std::uint32_t>(variable.bytes());
    if (variable.space == Space::kLocal) {
      found.in_frame = true;
      found.address = variables_[operand.index];
    } else if (is_param(variable.space)) {
      found.parameter = true;
      found.of_kernel = function_.is_entry && operand.index < function_.parameter_count;
      found.address = found.of_kernel ? lay_out_parameters(function_).offsets[operand.index]
                                      : variables_[operand.index];
    } else if (is_shared(variable.space)) {
      found.address = program_.shared.at({key_.module, key_.function, operand.index});
    } else {
      return unsupported("a ." + std::string(name_of(variable.space)) +
                         " variable declared inside a function is not emulated");
    }
    return found;
  }
  VariableKey key{key_.module, ptx::kNoFunction, operand.index};
  const ptx::Variable& declared = module_.ptx.variables[operand.index];
  found.space = declared.space;
  found.bytes = static_cast<std::uint32_t>(declared.bytes());
  if (is_shared(declared.space)) {
    found.address = program_.shared.at(key);
    return found;
  }
  if (!linker_.find_variable(key)) {
    program_.missing.emplace_back(declared.name);
    return found;
  }
  found.address = linker_.module(key.module).addresses[key.variable];
  return found;
}

Result<Ref> Decoder::address_of(const Operand& operand, unsigned bits) {
  const Result<Symbol> found = symbol(operand);
  if (!found) return Failure(found.error());
  if (found->in_frame) {
    const Ref at = temporary(bits);
    MicroOp& op = emit(&do_local_address, {at}, 1);
    op.constant =
        static_cast<std::uint32_t>(found->address + static_cast<std::uint64_t>(operand.value));
    op.shift = static_cast<std::uint16_t>(bits);
    return at;
  }
  if (found->parameter) {
    const auto kept = found->of_kernel ? kept_.end() : kept_.find(operand.index);
    if (!found->of_kernel && kept == kept_.end()) {
      return unsupported("the address of a call's parameter is not emulated");
    }
    const std::uint64_t base = found->of_kernel ? found->address : kept->second;
    const Ref at = temporary(64);
    MicroOp& op = emit(&do_local_address, {at}, 1);
    op.constant = static_cast<std::uint32_t>(base + static_cast<std::uint64_t>(operand.value));
    op.shift = found->of_kernel ? 0 : 64;  // 0: of the kernel's parameters
    return at;
  }
  const std::uint64_t value = found->address + static_cast<std::uint64_t>(operand.value);
  if (!is_shared(found->space)) return constant(value, bits);
  const Ref at = temporary(bits);
  MicroOp& op = emit(&do_shared_address, {at}, 1);
  op.constant = static_cast<std::uint32_t>(value);
  op.shift = static_cast<std::uint16_t>(bits);
  return at;
}

Result<Ref> Decoder::destination(const Operand& operand, unsigned bits) {
  (void)bits;
  if (operand.kind == OperandKind::kDiscard) return make_ref(Place::kFrame, kScratch);
  if (operand.kind == OperandKind::kRegister) return register_ref(operand);
  return unsupported("a result of this form is not emulated");
}

}  // namespace redflag::cuda
