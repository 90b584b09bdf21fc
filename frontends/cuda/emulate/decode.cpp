#include <bit>
#include <cstring>

#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"

namespace redflag::cuda {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

namespace {

bool is_param(Space space) {
  return space == Space::kParam || space == Space::kParamEntry || space == Space::kParamFunc;
}
bool is_shared_space(Space space) {
  return space == Space::kShared || space == Space::kSharedCta || space == Space::kSharedCluster;
}

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

Decoder::Decoder(const Linker& linker, Program& program, FunctionKey key, Code& code)
    : linker_(linker),
      program_(program),
      key_(key),
      code_(code),
      module_(linker.module(key.module)),
      function_(module_.ptx.functions[key.function]),
      cfg_(module_.ptx, function_) {}

Failure Decoder::unsupported(const std::string& what) const {
  const Instruction& from = function_.body.instructions[at_];
  std::string place = module_.ptx.path + ":" + std::to_string(from.line);
  if (ptx::raw(from.location) != ptx::raw(ptx::LocationId::kNone)) {
    const ptx::Location& location = function_.body.locations[ptx::raw(from.location)];
    const ptx::File* const file = module_.ptx.find_file(location.file);
    if (file != nullptr) {
      place += " (" + std::string(file->name) + ":" + std::to_string(location.line) + ")";
    }
  }
  return fail(place + ": '" + std::string(from.text) + "' in function '" +
              std::string(function_.name) + "': " + what +
              "; run this kernel on a GPU, or leave it out");
}

// Frame: the carry bits, scratch, registers, parameters by lane, temporaries.
void Decoder::lay_out() {
  std::uint32_t moved = kFirstRegister;
  for (const ptx::Register& each : function_.body.registers) {
    const unsigned bits = each.type == ptx::Type::kPred ? 1 : ptx::info(each.type).bits;
    if (bits != 1) moved = (moved + 63) / 64 * 64;
    registers_.push_back(moved);
    moved += words_of(bits) * each.vector;
  }
  temporaries_ = (moved + 63) / 64 * 64;
  code_.local_bytes = 0;
  variables_.resize(function_.variables.size());
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    const ptx::Variable& each = function_.variables[i];
    if (each.space != Space::kLocal) continue;
    const std::uint32_t align = std::max<std::uint32_t>(each.alignment(), 1);
    code_.local_bytes = (code_.local_bytes + align - 1) / align * align;
    variables_[i] = code_.local_bytes;
    code_.local_bytes += static_cast<std::uint32_t>(each.bytes());
  }
  code_.local_bytes = (code_.local_bytes + 15) / 16 * 16;
  if (code_.local_bytes > 0) program_.uses_local = true;
}

Result<void> Decoder::run() {
  code_.function = &function_;
  code_.module = &module_.ptx;
  code_.module_index = key_.module;
  code_.first_site = module_.first_sites[key_.function];
  constants_[{~std::uint64_t{0}, 1}] = kAlways;
  pool_.resize(64, std::byte{0xff});
  lay_out();

  // Parameters of device functions, and those of calls, are bytes of each lane behind the registers.
  std::uint32_t slots = 0;
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    const ptx::Variable& each = function_.variables[i];
    const bool formal = i < function_.return_count + function_.parameter_count;
    if (!is_param(each.space) || (function_.is_entry && formal)) continue;
    const auto bytes = static_cast<std::uint32_t>((each.bytes() + 15) / 16 * 16);
    variables_[i] = slots;
    slots += bytes * gpu::kWarp;
  }
  const std::uint32_t slot_base = temporaries_;
  temporaries_ += slots;
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    if (is_param(function_.variables[i].space)) variables_[i] += slot_base;
  }
  if (!function_.is_entry) {
    for (std::size_t i = 0; i < function_.return_count + function_.parameter_count; ++i) {
      const ptx::Variable& each = function_.variables[i];
      Slot slot;
      if (each.reg != ptx::RegId::kNone) {
        slot.in_register = true;
        slot.ref = make_ref(Place::kFrame, registers_[ptx::raw(each.reg)]);
        slot.bits = each.type == ptx::Type::kPred
                        ? 1
                        : static_cast<std::uint8_t>(ptx::info(each.type).bits);
        slot.bytes = (slot.bits + 7U) / 8U;
      } else {
        slot.ref = variables_[i];
        slot.bytes = static_cast<std::uint32_t>(each.bytes());
      }
      (i < function_.return_count ? code_.returns : code_.parameters).push_back(slot);
    }
  }

  const std::vector<Instruction>& all = function_.body.instructions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const ptx::Flow flow = all[i].flow();
    const bool parts = (flow == ptx::Flow::kBranch && all[i].guarded) ||
                       flow == ptx::Flow::kBranchTable ||
                       (flow == ptx::Flow::kReturn && all[i].guarded);
    if (parts) joins_.insert(cfg_.reconvergence(i));
  }
  op_of_.resize(all.size() + 1);
  for (at_ = 0; at_ < all.size(); ++at_) {
    op_of_[at_] = static_cast<std::uint32_t>(code_.ops.size());
    if (joins_.contains(at_)) emit(&do_join, {}, 0);
    temporary_ = temporaries_;
    const std::size_t first = code_.ops.size();
    Result<void> done = instruction(all[at_]);
    if (!done) return done;
    most_temporaries_ = std::max(most_temporaries_, temporary_);
    if (all[at_].guarded) {
      const Ref guard = make_ref(Place::kFrame, registers_[ptx::raw(all[at_].guard)]);
      for (std::size_t i = first; i < code_.ops.size(); ++i) {
        if (code_.ops[i].handler == &do_join) continue;
        code_.ops[i].guard = guard;
        code_.ops[i].guard_flip = all[at_].guard_negated ? ~gpu::Lanes{0} : 0;
      }
    }
  }
  return finish();
}

Result<void> Decoder::finish() {
  at_ = function_.body.instructions.empty()
            ? 0
            : static_cast<std::uint32_t>(function_.body.instructions.size() - 1);
  code_.end = static_cast<std::uint32_t>(code_.ops.size());
  code_.frame_bytes = std::max(most_temporaries_, temporaries_);
  op_of_.back() = code_.end;
  emit(&do_join, {}, 0);
  emit(&do_return, {}, 0);
  for (const Fixup& each : fixups_) {
    MicroOp& op = code_.ops[each.op];
    op.target = op_of_[each.target];
    if (each.reconverge != 0xffffffff) op.reconverge = op_of_[each.reconverge];
  }
  for (const auto& table : code_.tables) {
    for (std::uint32_t& each : *table) each = op_of_[each];
  }
  auto* const pool = static_cast<std::byte*>(std::aligned_alloc(64, (pool_.size() + 63) / 64 * 64));
  std::memcpy(pool, pool_.data(), pool_.size());
  code_.pool_owner = std::shared_ptr<std::byte>(pool, [](std::byte* p) { std::free(p); });
  code_.pool = pool;
  return {};
}

MicroOp& Decoder::emit(Handler handler, std::vector<Ref> refs, std::uint8_t results,
                       const void* extra) {
  MicroOp& op = code_.ops.emplace_back();
  op.handler = handler;
  op.instruction = at_;
  op.extra = extra;
  op.results = results;
  op.sources = static_cast<std::uint8_t>(refs.size() - results);
  auto kept = std::make_unique<Ref[]>(refs.size() + 1);
  std::copy(refs.begin(), refs.end(), kept.get());
  op.refs = kept.get();
  code_.refs.push_back(std::move(kept));
  return op;
}

Ref Decoder::constant(std::uint64_t value, unsigned bits) {
  if (bits < 64 && bits > 1) value &= (std::uint64_t{1} << bits) - 1;
  const unsigned words = bits <= 32 ? 32 : bits;
  const auto found = constants_.find({value, words});
  if (found != constants_.end()) return found->second;
  const auto at = static_cast<std::uint32_t>(pool_.size());
  pool_.resize(pool_.size() + words_of(words));
  for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
    if (words == 32) {
      std::memcpy(pool_.data() + at + lane * 4, &value, 4);
    } else {  // of 128 bits the low halves come first, the high ones are zero
      std::memcpy(pool_.data() + at + lane * 8, &value, 8);
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
  if (which == Special::kEnvreg) component = operand.extra < 4 ? operand.extra : 3;
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
    } else if (is_shared_space(variable.space)) {
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
  if (is_shared_space(declared.space)) {
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
    if (!found->of_kernel) {
      return unsupported("the address of a device function's parameter is not emulated");
    }
    const Ref at = temporary(64);
    MicroOp& op = emit(&do_local_address, {at}, 1);
    op.constant =
        static_cast<std::uint32_t>(found->address + static_cast<std::uint64_t>(operand.value));
    op.shift = 0;  // of the kernel's parameters
    return at;
  }
  return constant(found->address + static_cast<std::uint64_t>(operand.value), bits);
}

Result<Ref> Decoder::destination(const Operand& operand, unsigned bits) {
  (void)bits;
  if (operand.kind == OperandKind::kDiscard) return make_ref(Place::kFrame, kScratch);
  if (operand.kind == OperandKind::kRegister) return register_ref(operand);
  return unsupported("a result of this form is not emulated");
}

Result<void> Decoder::instruction(const Instruction& from) {
  if (from.op == ptx::Op::kUnknown) return unsupported("this instruction is not known");
  Result<bool> done = control(from);
  if (!done) return Failure(done.error());
  if (*done) return {};
  done = memory(from);
  if (!done) return Failure(done.error());
  if (*done) return {};
  if (is_value_op(from.op)) return value(from);
  return unsupported("this instruction is not emulated");
}

Result<void> Decoder::value(const Instruction& from) {
  Result<ValuePlan> plan = plan_value_op(function_, from);
  if (!plan) return unsupported(plan.error().message);
  std::vector<const Operand*> results, sources;
  for (std::size_t i = 0; i < from.operands().size(); ++i) {
    const Operand& each = from.operands()[i];
    std::vector<const Operand*>& into =
        role_of(from, i) == ptx::Role::kDestination ? results : sources;
    if (each.kind == OperandKind::kNone) continue;
    if (each.kind == OperandKind::kPair || each.kind == OperandKind::kVector) {
      for (const Operand& part : each.parts()) into.push_back(&part);
    } else {
      into.push_back(&each);
    }
  }
  if (results.size() > kMostResults || sources.size() > kMostSources) {
    return unsupported("it has more operands than are emulated");
  }
  std::vector<Ref> refs(results.size());
  std::vector<std::pair<Ref, Ref>> widened;  // result, temporary
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result<Ref> ref = destination(*results[i], plan->result_bits[i]);
    if (!ref) return Failure(ref.error());
    refs[i] = *ref;
    const unsigned bits = plan->result_bits[i];
    if (results[i]->is_register() && bits > 1 && bits <= 32 && register_bits(*results[i]) == 64) {
      refs[i] = temporary(32);
      widened.emplace_back(*ref, refs[i]);
    }
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Result<Ref> ref = source(*sources[i], plan->source_bits[i]);
    if (!ref) return Failure(ref.error());
    refs.push_back(*ref);
  }
  MicroOp& op = emit(nullptr, std::move(refs), static_cast<std::uint8_t>(results.size()));
  op.value = plan->op;
  op.shift = plan->shift;
  op.constant = plan->constant;
  for (const auto& [result, temporary] : widened) emit(&do_widen, {result, temporary}, 1);
  return {};
}

Result<void> decode_function(const Linker& linker, Program& program, FunctionKey key, Code& code) {
  return Decoder(linker, program, key, code).run();
}

}  // namespace redflag::cuda
