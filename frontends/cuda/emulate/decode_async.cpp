// Asynchronous copies and mbarriers: from instruction to AsyncOp.
#include "frontends/cuda/emulate/decoder.h"
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/orders.h"

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
      if (from.has(Mod::kMulticast)) return unsupported("multicast copies are not emulated");
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
        }
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
