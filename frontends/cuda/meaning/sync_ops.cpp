#include "frontends/cuda/meaning/sync_ops.h"

namespace redflag::cuda {
namespace {

using gpu::SyncOp;
using ptx::Op;

SyncOp atomic(const ptx::Instruction& from) {
  switch (from.modifiers.order) {
    case ptx::Order::kAcquire:
    case ptx::Order::kRelease:
    case ptx::Order::kAcqRel:
    case ptx::Order::kSc:
      return SyncOp::kOrderedAtomic;
    default:
      break;
  }
  const bool narrow =
      from.modifiers.scope == ptx::Scope::kCta || from.modifiers.scope == ptx::Scope::kCluster;
  return narrow && !is_shared(from.modifiers.space) ? SyncOp::kNarrowAtomic : SyncOp::kAtomic;
}

// Of loads and stores only the strong ones; volatile is data.
bool is_strong(const ptx::Instruction& from) {
  const ptx::Order order = from.modifiers.order;
  return order != ptx::Order::kNone && order != ptx::Order::kWeak && order != ptx::Order::kVolatile;
}

// A barrier without a number of threads is of the whole block. A reduction has a result before and a
// predicate behind.
SyncOp barrier(const ptx::Instruction& from, std::size_t besides) {
  const auto operands = from.operands();
  std::size_t given = 0;
  for (const ptx::Operand& each : operands) given += each.kind != ptx::OperandKind::kNone ? 1 : 0;
  return given > besides + 1 ? SyncOp::kPartBarrier : SyncOp::kBlockBarrier;
}

SyncOp warp_sync(const ptx::Instruction& from) {
  const ptx::Operand& mask = from.operands()[0];
  const bool all = mask.kind == ptx::OperandKind::kImmediate &&
                   static_cast<std::uint32_t>(mask.value) == ~std::uint32_t{0};
  return all ? SyncOp::kWarpSync : SyncOp::kPartWarpSync;
}

}  // namespace

void add_sync_op(const ptx::Instruction& instruction, gpu::SyncOps& to) {
  switch (instruction.op) {
    case Op::kLd:
    case Op::kSt:
      if (is_strong(instruction)) to.add(atomic(instruction));
      return;
    case Op::kAtom:
    case Op::kRed:
    case Op::kSured:
      return to.add(atomic(instruction));
    case Op::kMembar:
    case Op::kFence:
    case Op::kFenceMbarrierInit:
      return to.add(SyncOp::kFence);
    case Op::kBar:
    case Op::kBarSync:
    case Op::kBarCtaSync:
    case Op::kBarrierSync:
    case Op::kBarrierCtaSync:
      return to.add(barrier(instruction, 0));
    case Op::kBarRed:
    case Op::kBarCtaRed:
    case Op::kBarrierRed:
    case Op::kBarrierCtaRed:
      return to.add(barrier(instruction, 2));
    case Op::kBarArrive:
    case Op::kBarCtaArrive:
    case Op::kBarrierArrive:
    case Op::kBarrierCtaArrive:
      return to.add(SyncOp::kPartBarrier);
    case Op::kBarWarpSync:
      return to.add(warp_sync(instruction));
    case Op::kBarrierClusterArrive:
    case Op::kBarrierClusterWait:
      return to.add(SyncOp::kClusterBarrier);
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveDrop:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
      return to.add(SyncOp::kBarrierObject);
    case Op::kCpAsync:
    case Op::kCpAsyncCommitGroup:
    case Op::kCpAsyncWaitGroup:
    case Op::kCpAsyncWaitAll:
    case Op::kCpAsyncMbarrierArrive:
    case Op::kCpAsyncBulk:
    case Op::kCpAsyncBulkCommitGroup:
    case Op::kCpAsyncBulkWaitGroup:
    case Op::kStAsync:
    case Op::kRedAsync:
    case Op::kCpReduceAsyncBulk:
      return to.add(SyncOp::kAsyncCopy);
    case Op::kMapa:
      return to.add(SyncOp::kRemoteShared);
    default:
      return;
  }
}

}  // namespace redflag::cuda
