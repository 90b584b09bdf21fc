// Asynchronous copies and mbarriers: from instruction to AsyncOp.
#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/meaning/orders.h"

namespace redflag::cuda {

using ptx::Mod;
using ptx::Op;
using ptx::OperandKind;

Result<void> Decoder::async_copy(const Instruction& from) {
  auto made = std::make_shared<AsyncOp>();
  AsyncOp& how = *made;
  how.op = from.op;
  const std::span<const Operand> operands = from.operands();
  const auto take = [&](Ref& into, std::size_t at, unsigned bits) -> Result<void> {
    const Result<Ref> ref = source(operands[at], bits);
    if (!ref) return Failure(ref.error());
    into = *ref;
    return {};
  };
  Handler handler = nullptr;
  Result<void> done;
  switch (from.op) {
    case Op::kCpAsyncCommitGroup:
    case Op::kCpAsyncBulkCommitGroup:
      handler = &do_copy_commit;
      break;
    case Op::kCpAsyncWaitAll:
      handler = &do_copy_wait;
      how.all = true;
      break;
    case Op::kCpAsyncWaitGroup:
    case Op::kCpAsyncBulkWaitGroup:
      handler = &do_copy_wait;
      done = take(how.number, 0, 32);
      break;
    case Op::kCpAsyncMbarrierArrive: {
      handler = &do_copy_arrive;
      how.no_increment = from.has(Mod::kNoInc);
      how.memory.space = from.modifiers.space;
      how.memory.bytes = how.memory.align = 8;
      done = fill_address(operands[0], how.memory.space, how.memory.base, how.memory.base_bits,
                          how.memory.offset);
      break;
    }
    default: {
      const bool bulk = from.op == Op::kCpAsyncBulk;
      handler = bulk ? &do_copy_bulk : &do_copy_async;
      MemoryOp& memory = how.memory;
      memory.space = from.modifiers.space;
      memory.source_space = from.modifiers.source_space;
      memory.order = Order::kPlain;
      done = fill_address(operands[0], memory.space, memory.base, memory.base_bits, memory.offset);
      if (!done) return done;
      done = fill_address(operands[1], memory.source_space, memory.source_base,
                          memory.source_base_bits, memory.source_offset);
      if (!done) return done;
      done = take(how.number, 2, 32);
      if (!done) return done;
      if (bulk) {
        if (operands.size() > 3 && operands[3].kind == OperandKind::kAddress) {
          how.has_mbarrier = true;
          how.mbarrier_space = memory.space;
          done = fill_address(operands[3], memory.space, how.mbarrier, how.mbarrier_bits,
                              how.mbarrier_offset);
          if (done && from.has(Mod::kMulticast)) done = take(how.blocks, 4, 16);
        }
        if (from.has(Mod::kCpMask)) return unsupported("copies with a byte mask are not emulated");
        break;
      }
      if (operands[2].kind != OperandKind::kImmediate) {
        return unsupported("the size of the copy must be a constant");
      }
      memory.bytes = memory.align = static_cast<std::uint8_t>(operands[2].value);
      const std::size_t end = operands.size() - (from.has(Mod::kL2CacheHint) ? 1 : 0);
      if (end > 3 && operands[3].kind != OperandKind::kNone) {
        const bool predicate = operands[3].is_register() && register_bits(operands[3]) == 1;
        done = take(predicate ? how.ignore : how.filled, 3, predicate ? 1 : 32);
      }
      break;
    }
  }
  if (!done) return done;
  emit(handler, {}, 0, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

// Where it goes to, what, and the mbarrier that counts its bytes.
Result<void> Decoder::async_store(const Instruction& from) {
  const std::span<const Operand> operands = from.operands();
  const bool bulk = from.op == Op::kCpReduceAsyncBulk;
  const std::size_t gate_at = bulk ? 3 : 2;
  const bool has_gate =
      operands.size() > gate_at && operands[gate_at].kind == OperandKind::kAddress;
  if (!bulk && !has_gate)
    return unsupported("an asynchronous store without an mbarrier is not emulated");
  auto made = std::make_shared<AsyncOp>();
  AsyncOp& how = *made;
  how.op = from.op;
  const Result<MemoryOp*> memory = memory_op(from, operands[0]);
  if (!memory) return Failure(memory.error());
  how.memory = **memory;
  how.memory.order = from.op == Op::kStAsync ? Order::kPlain : Order::kRelaxed;
  how.memory.scope = bulk ? Scope::kDevice : Scope::kCluster;
  how.has_mbarrier = has_gate;
  how.mbarrier_space = how.memory.space;
  if (from.op != Op::kStAsync && !can_reduce(how.memory)) {
    return unsupported("a reduction with this operation or type is not emulated");
  }
  std::vector<Ref> refs;
  Result<void> done;
  if (bulk) {
    done = fill_address(operands[1], how.memory.source_space, how.memory.source_base,
                        how.memory.source_base_bits, how.memory.source_offset);
    if (!done) return done;
    const Result<Ref> bytes = source(operands[2], 32);
    if (!bytes) return Failure(bytes.error());
    how.number = *bytes;
  } else {
    const Operand& data = operands[1];
    const bool is_vector = data.kind == OperandKind::kVector;
    for (const Operand& part : is_vector ? data.parts() : std::span(&data, 1)) {
      const Result<Ref> ref = source(part, how.memory.element * 8U);
      if (!ref) return Failure(ref.error());
      refs.push_back(*ref);
    }
  }
  if (has_gate) {
    done = fill_address(operands[gate_at], how.mbarrier_space, how.mbarrier, how.mbarrier_bits,
                        how.mbarrier_offset);
    if (!done) return done;
  }
  emit(bulk                      ? &do_reduce_bulk
       : from.op == Op::kStAsync ? &do_store_async
                                 : &do_reduce_async,
       std::move(refs), 0, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

Result<void> Decoder::mbarrier(const Instruction& from) {
  auto made = std::make_shared<AsyncOp>();
  AsyncOp& how = *made;
  how.op = from.op;
  how.parity = from.has(Mod::kParity);
  how.expects = from.has(Mod::kExpectTx);
  how.no_complete = from.has(Mod::kNoComplete);
  MemoryOp& memory = how.memory;
  memory.space = from.modifiers.space;
  memory.bytes = memory.align = 8;
  const bool waits = from.op == Op::kMbarrierTestWait || from.op == Op::kMbarrierTryWait;
  memory.order = order_of(from.modifiers.order);
  if (memory.order == Order::kPlain) memory.order = waits ? Order::kAcquire : Order::kRelease;
  memory.scope = scope_of(from.modifiers.scope, Scope::kBlock);
  const std::span<const Operand> operands = from.operands();
  if (from.op == Op::kMbarrierPendingCount) {
    const Result<Ref> result = destination(operands[0], 32);
    const Result<Ref> token = source(operands[1], 64);
    if (!result) return Failure(result.error());
    if (!token) return Failure(token.error());
    how.result = *result;
    how.number = *token;
  } else {
    std::size_t at = 0;
    if (operands[at].kind != OperandKind::kAddress) {
      const Result<Ref> result = destination(operands[at], 0);
      if (!result) return Failure(result.error());
      if (operands[at].is_register()) how.result = *result;
      ++at;
    }
    Result<void> done =
        fill_address(operands[at], memory.space, memory.base, memory.base_bits, memory.offset);
    if (!done) return done;
    ++at;
    if (at < operands.size() && operands[at].kind != OperandKind::kNone) {
      const Result<Ref> number = source(operands[at], waits && !how.parity ? 64 : 32);
      if (!number) return Failure(number.error());
      how.number = *number;
    }
  }
  emit(&do_mbarrier, {}, 0, made.get());
  code_.others.push_back(std::move(made));
  return {};
}

}  // namespace redflag::cuda
