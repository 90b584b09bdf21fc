// Branches, calls, barriers, fences and what lanes do together: from instruction to micro-operation.
#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/meaning/orders.h"

namespace redflag::cuda {

using ptx::Mod;
using ptx::Op;
using ptx::OperandKind;

Result<bool> Decoder::control(const Instruction& from) {
  const auto size = static_cast<std::uint32_t>(function_.body.instructions.size());
  const auto index = [&] { return static_cast<std::uint32_t>(code_.ops.size()); };
  Result<void> done;
  switch (from.op) {
    case Op::kBra: {
      const std::uint32_t to =
          function_.body.labels[ptx::raw(from.operands().back().label())].target;
      fixups_.push_back({index(), to, from.guarded ? cfg_.reconvergence(at_) : 0xffffffff});
      emit(from.guarded ? &do_branch : &do_jump, {}, 0);
      return true;
    }
    case Op::kBrxIdx: {
      auto targets = std::make_unique<std::vector<std::uint32_t>>();
      for (const ptx::LabelId each :
           function_.body.tables[ptx::raw(from.operands().back().table())].labels) {
        targets->push_back(function_.body.labels[ptx::raw(each)].target);
      }
      const Result<Ref> which = source(from.operands()[0], 32);
      if (!which) return Failure(which.error());
      fixups_.push_back({index(), size, cfg_.reconvergence(at_)});
      emit(&do_branch_table, {*which}, 0, targets.get());
      code_.tables.push_back(std::move(targets));
      return true;
    }
    case Op::kRet:
      if (from.guarded) {
        fixups_.push_back({index(), size, cfg_.reconvergence(at_)});
        emit(&do_branch, {}, 0);
      } else {
        fixups_.push_back({index(), size, 0xffffffff});
        emit(&do_jump, {}, 0);
      }
      return true;
    case Op::kExit:
      emit(&do_exit, {}, 0);
      return true;
    case Op::kTrap:
      emit(&do_trap, {}, 0);
      return true;
    case Op::kBrkpt:
    case Op::kPmevent:
    case Op::kSetmaxnreg:
    case Op::kGriddepcontrol:        // grids run one after the other
    case Op::kGriddepcontrolLaunch:  //
    case Op::kFenceProxy:            // there is one proxy here
    case Op::kMembarProxy:           //
      emit(&do_nothing, {}, 0);
      return true;
    case Op::kNanosleep: {
      const Result<Ref> time = source(from.operands()[0], 32);
      if (!time) return Failure(time.error());
      emit(&do_nanosleep, {*time}, 0);
      return true;
    }
    case Op::kMembar:
    case Op::kFence:
    case Op::kFenceMbarrierInit: {
      Order order = order_of(from.modifiers.order);
      if (order == Order::kPlain) order = from.op == Op::kMembar ? Order::kSeqCst : Order::kAcqRel;
      const Scope scope = scope_of(from.modifiers.scope, Scope::kSystem);
      emit(fence_handler(program_.mode), {}, 0).constant =
          static_cast<std::uint32_t>(order) << 8 | static_cast<std::uint32_t>(scope);
      return true;
    }
    case Op::kCall:
      done = call(from);
      break;
    case Op::kBar:
    case Op::kBarSync:
    case Op::kBarArrive:
    case Op::kBarRed:
    case Op::kBarCtaSync:
    case Op::kBarCtaArrive:
    case Op::kBarCtaRed:
    case Op::kBarrierSync:
    case Op::kBarrierArrive:
    case Op::kBarrierRed:
    case Op::kBarrierCtaSync:
    case Op::kBarrierCtaArrive:
    case Op::kBarrierCtaRed:
      done = barrier(from);
      break;
    case Op::kBarrierClusterArrive:
    case Op::kBarrierClusterWait: {
      const bool arrives = from.op == Op::kBarrierClusterArrive;
      Order order = order_of(from.modifiers.order);
      if (order == Order::kPlain) order = arrives ? Order::kRelease : Order::kAcquire;
      emit(arrives ? &do_cluster_arrive : &do_cluster_wait, {}, 0).constant =
          static_cast<std::uint32_t>(order);
      return true;
    }
    case Op::kActivemask: {
      const Result<Ref> to = destination(from.operands()[0], 32);
      if (!to) return Failure(to.error());
      emit(&do_activemask, {*to}, 1);
      return true;
    }
    case Op::kBarWarpSync:
    case Op::kShfl:
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
    case Op::kElect:
      done = collective(from);
      break;
    case Op::kAlloca:
    case Op::kStacksave:
    case Op::kStackrestore: {
      const unsigned bits = ptx::info(from.type()).bits;
      std::vector<Ref> refs;
      const bool gives = from.op != Op::kStackrestore;
      for (std::size_t i = 0; i < std::min<std::size_t>(from.operands().size(), 2); ++i) {
        const Operand& each = from.operands()[i];
        const Result<Ref> ref = gives && i == 0 ? destination(each, bits) : source(each, bits);
        if (!ref) return Failure(ref.error());
        refs.push_back(*ref);
      }
      program_.uses_local = true;
      MicroOp& op = emit(from.op == Op::kAlloca      ? &do_alloca
                         : from.op == Op::kStacksave ? &do_stack_save
                                                     : &do_stack_restore,
                         std::move(refs), gives ? 1 : 0);
      op.shift = static_cast<std::uint16_t>(bits);
      op.constant = 16;
      if (from.operands().size() > 2 && from.operands()[2].kind == OperandKind::kImmediate) {
        op.constant =
            static_cast<std::uint32_t>(std::max<std::int64_t>(from.operands()[2].value, 1));
      }
      return true;
    }
    default:
      return false;
  }
  if (!done) return Failure(done.error());
  return true;
}

Result<Slot> Decoder::actual(const Operand& operand) {
  Slot slot;
  if (operand.kind == OperandKind::kSymbol && operand.symbol_kind == ptx::SymbolKind::kLocal) {
    const ptx::Variable& variable = function_.variables[operand.index];
    if (variable.reg != ptx::RegId::kNone) {
      slot.in_register = true;
      slot.ref = make_ref(Place::kFrame, registers_[ptx::raw(variable.reg)]);
      slot.bits = static_cast<std::uint8_t>(ptx::info(variable.type).bits);
      slot.bytes = (slot.bits + 7U) / 8U;
      return slot;
    }
    slot.ref = variables_[operand.index];
    slot.bytes = static_cast<std::uint32_t>(variable.bytes());
    return slot;
  }
  slot.in_register = true;
  slot.bits = operand.is_register() ? static_cast<std::uint8_t>(register_bits(operand)) : 64;
  const Result<Ref> ref = source(operand, slot.bits);
  if (!ref) return Failure(ref.error());
  slot.ref = *ref;
  slot.bytes = (slot.bits + 7U) / 8U;
  return slot;
}

Result<void> Decoder::call(const Instruction& from) {
  auto made = std::make_shared<CallOp>();
  const Operand& target = from.operands()[ptx::kCallTarget];
  for (const std::size_t which : {ptx::kCallReturns, ptx::kCallArguments}) {
    for (const Operand& each : from.operands()[which].parts()) {
      const Result<Slot> slot = actual(each);
      if (!slot) return Failure(slot.error());
      (which == ptx::kCallReturns ? made->returns : made->arguments).push_back(*slot);
    }
  }
  Handler handler = &do_call;
  if (target.kind == OperandKind::kSymbol && target.symbol_kind == ptx::SymbolKind::kFunction) {
    FunctionKey key{key_.module, target.index};
    const std::string_view name = module_.ptx.functions[target.index].name;
    if (linker_.find_function(key)) {
      made->callee = program_.codes.at(key).get();
    } else if ((made->builtin = find_builtin(name)) != Builtin::kNone) {
      handler = &do_builtin;
      if (made->builtin == Builtin::kMalloc || made->builtin == Builtin::kFree) {
        program_.sync.add(gpu::SyncOp::kAllocation);
      }
    } else {
      program_.missing.emplace_back(name);
    }
  } else {
    const Result<Ref> ref = source(target, 64);
    if (!ref) return Failure(ref.error());
    made->target = *ref;
  }
  MicroOp& op = emit(handler, {}, 0, made.get());
  code_.others.push_back(std::move(made));
  op.reconverge = static_cast<std::uint32_t>(code_.ops.size());
  emit(&do_join, {}, 0);
  return {};
}

Result<void> Decoder::barrier(const Instruction& from) {
  auto made = std::make_shared<BarrierOp>();
  const std::span<const Operand> operands = from.operands();
  const bool reduces = from.op == Op::kBarRed || from.op == Op::kBarCtaRed ||
                       from.op == Op::kBarrierRed || from.op == Op::kBarrierCtaRed;
  const bool arrives = from.op == Op::kBarArrive || from.op == Op::kBarCtaArrive ||
                       from.op == Op::kBarrierArrive || from.op == Op::kBarrierCtaArrive;
  made->kind = reduces ? BarrierKind::kReduce : arrives ? BarrierKind::kArrive : BarrierKind::kSync;
  made->operation = from.modifiers.operation;
  made->aligned = from.op == Op::kBarSync || from.op == Op::kBarCtaSync ||
                  from.op == Op::kBarArrive || from.op == Op::kBarCtaArrive ||
                  from.op == Op::kBarRed || from.op == Op::kBarCtaRed || from.has(Mod::kAligned);
  std::size_t at = 0;
  if (reduces) {
    const Result<Ref> result = destination(operands[at++], 0);
    if (!result) return Failure(result.error());
    made->result = *result;
    const Result<Ref> vote = source(operands.back(), 1);
    if (!vote) return Failure(vote.error());
    made->vote = *vote;
  }
  const std::size_t end = operands.size() - (reduces ? 1 : 0);
  for (Ref* const each : {&made->number, &made->threads}) {
    if (at >= end || operands[at].kind == OperandKind::kNone) break;
    const Result<Ref> ref = source(operands[at++], 32);
    if (!ref) return Failure(ref.error());
    *each = *ref;
  }
  if (made->number == kNoRef) made->number = constant(0, 32);
  emit(&do_barrier, {}, 0, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

Result<void> Decoder::collective(const Instruction& from) {
  auto made = std::make_shared<CollectiveOp>();
  CollectiveOp& how = *made;
  const std::span<const Operand> operands = from.operands();
  how.type = from.type();
  how.operation = from.modifiers.operation;
  for (const Mod each : {Mod::kUp, Mod::kDown, Mod::kBfly, Mod::kIdx, Mod::kAll, Mod::kAny,
                         Mod::kUni, Mod::kBallot}) {
    if (from.has(each)) how.how = each;
  }
  how.magnitude = from.has(Mod::kXorSignAbs);
  how.keeps_nan = from.has(Mod::kMathNan);
  const bool sync = from.has(Mod::kSync) || from.op == Op::kBarWarpSync;
  std::vector<Ref*> sources;
  unsigned bits = ptx::info(from.type()).bits;
  switch (from.op) {
    case Op::kBarWarpSync:
      how.kind = CollectiveKind::kSync;
      break;
    case Op::kShfl:
      how.kind = CollectiveKind::kShuffle;
      sources = {&how.source, &how.second, &how.third};
      break;
    case Op::kVote:
      how.kind = CollectiveKind::kVote;
      sources = {&how.source};
      bits = 1;
      break;
    case Op::kMatch:
      how.kind = CollectiveKind::kMatch;
      sources = {&how.source};
      break;
    case Op::kRedux:
      how.kind = CollectiveKind::kReduce;
      sources = {&how.source};
      break;
    default:
      how.kind = CollectiveKind::kElect;
      break;
  }
  std::size_t at = 0;
  if (how.kind != CollectiveKind::kSync) {
    const Operand& to = operands[at++];
    const bool pair = to.kind == OperandKind::kPair;
    const Result<Ref> result = destination(pair ? to.parts()[0] : to, 0);
    if (!result) return Failure(result.error());
    how.result = *result;
    if (pair) {
      const Result<Ref> predicate = destination(to.parts()[1], 1);
      if (!predicate) return Failure(predicate.error());
      how.predicate = *predicate;
    }
  }
  for (std::size_t i = 0; i < sources.size() && at < operands.size(); ++i) {
    const Result<Ref> ref = source(operands[at++], i == 0 ? bits : 32);
    if (!ref) return Failure(ref.error());
    *sources[i] = *ref;
  }
  if ((sync || from.op == Op::kElect) && at < operands.size()) {
    const Result<Ref> ref = source(operands[at], 32);
    if (!ref) return Failure(ref.error());
    how.members = *ref;
  }
  emit(&do_collective, {}, 0, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

}  // namespace redflag::cuda
