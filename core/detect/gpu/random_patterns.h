// For tests: what real kernels do, as steps of random programs. Included by random_steps.h only.
//
// Critical sections and data handed over by a flag, with the fence, the scope or the lock sometimes
// wrong; tiles of a block and of a warp between barriers; bytes of one word; copies that are read
// from too early.
#pragma once

#include "core/detect/gpu/random_steps.h"

namespace redflag::gpu {

// A lane of a warp, for what one thread does in several steps.
inline RandomProgram::Item RandomProgram::one_lane(StepKind kind, const Item& as) {
  Item item = by(kind);
  item.step.block = as.step.block;
  item.step.warp = as.step.warp;
  item.step.lanes = item.step.converged = as.step.lanes;
  return item;
}
inline void RandomProgram::emit_rmw(const Item& as, RmwOp op, std::uint64_t address,
                                    Scope how_far) {
  Item item = one_lane(StepKind::kAtomicRmw, as);
  item.step.op = op;
  item.step.order = Order::kRelaxed;
  item.step.scope = how_far;
  item.step.wrote = item.step.lanes;
  item.address.fill(address);
  item.value.fill(op == RmwOp::kExchange ? 0 : 1);
  emit(item);
}
inline void RandomProgram::emit_fence(const Item& as, Scope how_far) {
  Item item = one_lane(StepKind::kFence, as);
  item.step.scope = how_far;
  item.step.order = Order::kAcqRel;
  emit(item);
}
inline void RandomProgram::emit_access(const Item& as, StepKind kind, std::uint64_t address,
                                       bool is_volatile) {
  Item item = one_lane(kind, as);
  item.address.fill(address);
  item.step.is_volatile = is_volatile;
  emit(item);
}
inline RandomProgram::Item RandomProgram::some_lane() {
  Item item = by(StepKind::kRead);
  item.step.lanes &= ~item.step.lanes + 1;
  return item;
}

// Under one of two locks, or under none.
inline void RandomProgram::critical() {
  const Item who = some_lane();
  const std::uint32_t which = pick(5);
  const std::uint64_t lock = kLocks + std::uint64_t{4} * (which % 2);
  const Scope how_far = mostly_device();
  const bool is_volatile = pick(3) != 0;
  const std::uint64_t data = kLocks + 0x100 + std::uint64_t{4} * pick(3);
  if (which != 4) emit_rmw(who, RmwOp::kCompareSwap, lock, how_far);
  if (which != 4 && pick(6) != 0) emit_fence(who, mostly_device());
  emit_access(who, StepKind::kRead, data, is_volatile);
  if (pick(3) != 0) emit_access(who, StepKind::kWrite, data, is_volatile);
  if (pick(6) != 0) emit_fence(who, mostly_device());
  if (which != 4) emit_rmw(who, RmwOp::kExchange, lock, how_far);
}

// One writes and signals, another sees the signal and reads.
inline void RandomProgram::handover() {
  const Item from = some_lane();
  const Item to = some_lane();
  const bool is_volatile = pick(3) != 0;
  const std::uint64_t data = kLocks + 0x200 + std::uint64_t{4} * pick(3);
  const std::uint64_t flag = kLocks + 0x300 + std::uint64_t{4} * pick(2);
  emit_access(from, StepKind::kWrite, data, is_volatile);
  if (pick(5) != 0) emit_fence(from, mostly_device());
  emit_rmw(from, RmwOp::kOther, flag, mostly_device());
  if (pick(5) != 0) emit_rmw(to, RmwOp::kOther, flag, mostly_device());
  emit_access(to, StepKind::kRead, data, is_volatile);
  if (pick(3) == 0) emit_access(to, StepKind::kWrite, data, is_volatile);
}

// The warps of a block write their words, meet, read each other's, and mostly meet again.
inline void RandomProgram::tile() {
  const std::uint32_t b = pick(grid_.blocks);
  const auto words = [&](StepKind kind, std::uint32_t warp, std::uint32_t of) {
    Item item = by(kind);
    item.step.block = b;
    item.step.warp = warp;
    item.step.lanes = item.step.converged = grid_.lanes(std::max(warp, of));
    for (unsigned i = 0; i < kWarp; ++i) {
      item.address[i] =
          kLocks + 0x1000 + std::uint64_t{b} * 0x1000 + std::uint64_t{4} * (of * kWarp + i);
    }
    emit(item);
  };
  const auto meet = [&] {
    const std::uint32_t round = rounds_[b][0]++;
    for (const StepKind kind : {StepKind::kBarrierArrive, StepKind::kBarrierPass}) {
      for (std::uint32_t w = 0; w < grid_.block_warps; ++w) {
        Item item = by(kind);
        item.step.block = b;
        item.step.warp = w;
        item.step.lanes = item.step.converged = grid_.lanes(w);
        item.step.round = round;
        emit(item);
      }
    }
  };
  for (std::uint32_t w = 0; w < grid_.block_warps; ++w) words(StepKind::kWrite, w, w);
  meet();
  for (unsigned i = 0; i < 2 + pick(3); ++i) {
    words(StepKind::kRead, pick(grid_.block_warps), pick(grid_.block_warps));
  }
  if (pick(6) != 0) meet();
}

// The same within a warp: some lanes read behind a warp barrier, which mostly has all of them.
inline void RandomProgram::warp_tile() {
  Item write = by(StepKind::kWrite);
  const Lanes all = grid_.lanes(write.step.warp);
  write.step.lanes = write.step.converged = all;
  for (unsigned i = 0; i < kWarp; ++i) {
    write.address[i] =
        kLocks + 0x8000 + (write.step.block * 4 + write.step.warp) * 128 + std::uint64_t{4} * i;
  }
  emit(write);
  Item sync = one_lane(StepKind::kWarpSync, write);
  if (pick(6) == 0) sync.step.lanes &= static_cast<Lanes>(random_()) | 1U;
  if (pick(6) != 0) emit(sync);
  Item read = one_lane(StepKind::kRead, write);
  read.step.lanes &= static_cast<Lanes>(random_()) | 1U;
  read.step.converged = read.step.lanes;
  const std::uint64_t base = write.address[0];
  const unsigned lanes = static_cast<unsigned>(std::popcount(all));
  for (unsigned i = 0; i < kWarp; ++i)
    read.address[i] = base + std::uint64_t{4} * ((i + 1) % lanes);
  emit(read);
  if (pick(3) == 0) emit(sync);
}

// Two threads write a byte each of one word.
inline void RandomProgram::neighbours() {
  for (std::uint64_t i = 0; i < 2; ++i) {
    Item item = one_lane(StepKind::kWrite, some_lane());
    item.step.size = 1;
    item.address.fill(kLocks + 0x400 + i);
    emit(item);
  }
}

// A copy is started and published before it is complete; another thread writes what it reads.
inline void RandomProgram::copied() {
  const Item who = some_lane();
  const std::uint64_t source = kLocks + 0x500 + std::uint64_t{4} * pick(2);
  Item item = one_lane(StepKind::kAsyncCopy, who);
  item.address.fill(shared_address(who.step.block, std::uint64_t{who.step.warp} * 64));
  item.source.fill(source);
  emit(item);
  emit_fence(who, Scope::kDevice);
  emit_rmw(who, RmwOp::kOther, kLocks + 0x600, Scope::kDevice);
  const Item other = some_lane();
  emit_rmw(other, RmwOp::kOther, kLocks + 0x600, Scope::kDevice);
  emit_fence(other, Scope::kDevice);
  emit_access(other, StepKind::kWrite, source, true);
}

}  // namespace redflag::gpu
