// A function's frame, its instructions in order, and values. Operands: decode_operand.cpp.
#include <cstring>

#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/unsupported_ops.h"
#include "frontends/cuda/meaning/sync_ops.h"

namespace redflag::cuda {

using ptx::OperandKind;
using ptx::Space;

namespace {}  // namespace

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
              "; run this kernel on a GPU, or do not launch it");
}

// Frame: the carry bits, scratch, registers, parameters by lane, temporaries.
void Decoder::count_mentions() {
  mentions_.assign(function_.body.registers.size(), 0);
  const auto count = [&](const Operand& operand, const auto& again) -> void {
    const bool is_address = operand.kind == ptx::OperandKind::kAddress;
    const ptx::OperandKind kind = is_address ? operand.base : operand.kind;
    if (kind == ptx::OperandKind::kRegister) ++mentions_[operand.index];
    if (kind != ptx::OperandKind::kVector) return;
    for (const Operand& part : operand.parts()) again(part, again);
  };
  for (const Instruction& each : function_.body.instructions) {
    if (each.guarded) ++mentions_[static_cast<std::size_t>(each.guard)];
    for (const Operand& operand : each.operands()) count(operand, count);
  }
}

// Does an instruction other than a load, a store or a call mention it?
bool Decoder::takes_address(std::uint32_t variable) const {
  const std::vector<Instruction>& all = function_.body.instructions;
  return std::any_of(all.begin(), all.end(), [&](const Instruction& each) {
    if (each.op == ptx::Op::kCall) return false;
    const auto operands = each.operands();
    return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
      return operand.kind == OperandKind::kSymbol &&
             operand.symbol_kind == ptx::SymbolKind::kLocal && operand.index == variable;
    });
  });
}

void Decoder::lay_out() {
  count_mentions();
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
  const std::uint32_t formal = function_.return_count + function_.parameter_count;
  for (std::uint32_t i = function_.return_count; !function_.is_entry && i < formal; ++i) {
    const ptx::Variable& each = function_.variables[i];
    if (each.reg != ptx::RegId::kNone || !is_param(each.space) || !takes_address(i)) continue;
    code_.local_bytes = (code_.local_bytes + 15) / 16 * 16;
    kept_[i] = code_.local_bytes;
    code_.local_bytes += static_cast<std::uint32_t>((each.bytes() + 15) / 16 * 16);
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
  keep_parameters();
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

Result<void> Decoder::instruction(const Instruction& from) {
  add_sync_op(from, program_.sync);
  if (from.op == ptx::Op::kUnknown) return unsupported("this instruction is unknown");
  const std::string_view why = why_unsupported_op(from.op);
  if (!why.empty()) return unsupported(std::string(why));
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
    return unsupported("more operands than the emulated GPU supports");
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
  const bool of_warp =
      from.op == ptx::Op::kMma || from.op == ptx::Op::kWmmaMma || from.op == ptx::Op::kMovmatrix;
  if (of_warp) converge();
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
