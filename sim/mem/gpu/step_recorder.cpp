#include "sim/mem/gpu/step_recorder.h"

#include <algorithm>
#include <bit>

namespace redflag::sim {
namespace {

constexpr std::uint16_t kOfBlock = 1;
constexpr std::uint16_t kOfDevice = 2;

std::uint16_t fence_of(Scope scope) {
  return scope == Scope::kBlock || scope == Scope::kWarp ? kOfBlock : kOfDevice;
}

}  // namespace

void StepRecorder::begin(const gpu::Launch& launch) {
  launch_ = launch;
  blocks_.clear();
  last_ = nullptr;
  bytes_ = 0;
}

BlockProgram* StepRecorder::step(const gpu::Step& step) {
  ++counts_.steps;
  BlockProgram* first = nullptr;
  if (last_ == nullptr || last_number_ != step.block) {
    last_number_ = step.block;
    std::unique_ptr<BlockProgram>& entry = blocks_[step.block];
    if (entry == nullptr) {
      entry = std::make_unique<BlockProgram>(launch_.block_warps());
      first = entry.get();
    }
    last_ = entry.get();
  }
  if (first != nullptr) {
    first->running = launch_.block_warps();
    for (std::uint32_t i = 0; i < first->running; ++i) {
      const std::uint32_t lanes = std::min(launch_.block_threads() - i * gpu::kWarp, gpu::kWarp);
      first->live[i] = static_cast<gpu::Lanes>((std::uint64_t{1} << lanes) - 1);
    }
  }
  BlockProgram& block = *last_;
  if (step.warp >= block.warps.size() || block.live[step.warp] == 0) return first;
  WarpProgram& warp = block.warps[step.warp];
  using gpu::StepKind;
  const bool is_shared = step.space == gpu::Space::kShared;
  switch (step.kind) {
    case StepKind::kRead:
    case StepKind::kWrite:
    case StepKind::kAtomicLoad:
    case StepKind::kAtomicStore:
    case StepKind::kAtomicRmw: {
      if (is_release(step.order)) put(warp, {OpKind::kFence, 0, fence_of(step.scope), 0});
      if (is_shared) {
        shared(step, warp);
      } else if (step.address != nullptr) {
        const bool reads = step.kind == StepKind::kRead || step.kind == StepKind::kAtomicLoad;
        OpKind kind = step.kind == StepKind::kRead && !step.is_volatile ? OpKind::kLoad
                      : reads                                           ? OpKind::kLoadPast
                                                                        : OpKind::kStore;
        if (step.kind == StepKind::kAtomicRmw) {
          kind = step.op == gpu::RmwOp::kReduction ? OpKind::kReduction : OpKind::kAtomic;
        }
        access(step, warp, kind, step.address, step.lanes, step.instructions);
      }
      if (is_acquire(step.order)) put(warp, {OpKind::kFence, 0, fence_of(step.scope), 0});
      break;
    }
    case StepKind::kAsyncCopy:
      if (step.source != nullptr) {
        access(step, warp, OpKind::kAsyncLoad, step.source, step.lanes, step.instructions);
      }
      break;
    case StepKind::kAsyncWait:
    case StepKind::kMbarrierWait:
      put(warp, {OpKind::kAsyncWait, 0, 0, step.instructions});
      break;
    case StepKind::kFence:
      put(warp, {OpKind::kFence, 0, fence_of(step.scope), step.instructions});
      break;
    case StepKind::kBarrierArrive:
    case StepKind::kBarrierPass:
      barrier(step, block, warp);
      break;
    case StepKind::kExit:
      block.live[step.warp] &= ~step.lanes;
      if (block.live[step.warp] != 0) {
        put(warp, {OpKind::kCompute, 0, 0, step.instructions});
      } else {
        put(warp, {OpKind::kExit, 0, 0, step.instructions});
        --block.running;
      }
      break;
    default:
      if (step.instructions != 0) put(warp, {OpKind::kCompute, 0, 0, step.instructions});
      break;
  }
  return first;
}

void StepRecorder::put(WarpProgram& warp, OpHeader header) {
  warp.put(header);
  bytes_ += sizeof(std::uint64_t);
}

void StepRecorder::access(const gpu::Step& step, WarpProgram& warp, OpKind kind,
                          const std::uint64_t* address, gpu::Lanes lanes,
                          std::uint32_t instructions) {
  const bool is_atomic = kind == OpKind::kAtomic || kind == OpKind::kReduction;
  for (gpu::Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    if (gpu::is_shared(address[std::countr_zero(rest)])) lanes &= ~(rest & -rest);
  }
  if (lanes == 0) return;
  ++counts_.memory_steps;
  counts_.lane_accesses += static_cast<unsigned>(std::popcount(lanes));
  coalesce(
      address, step.size, lanes, is_atomic, [&](std::uint64_t at) { return memory_.physical(at); },
      transactions_);
  warp.put({kind, static_cast<std::uint8_t>(transactions_.size), 0, std::max(instructions, 1U)});
  for (std::size_t i = 0; i < transactions_.size; ++i) warp.put(transactions_.list[i]);
  bytes_ += (1 + 2 * transactions_.size) * sizeof(std::uint64_t);
}

void StepRecorder::shared(const gpu::Step& step, WarpProgram& warp) {
  ++counts_.shared_steps;
  const bool stores = step.kind == gpu::StepKind::kWrite;
  const std::uint32_t times =
      step.address == nullptr ? 1 : bank_conflicts(step.address, step.lanes);
  put(warp, {stores ? OpKind::kSharedStore : OpKind::kSharedLoad, 0,
             static_cast<std::uint16_t>(times), std::max(step.instructions, 1U)});
}

void StepRecorder::barrier(const gpu::Step& step, BlockProgram& block, WarpProgram& warp) {
  const std::uint64_t key = std::uint64_t{step.object} << 32 | step.round;
  const auto [arrivals, is_new] = block.arrivals.try_emplace(key, std::uint16_t{0});
  const bool arrives = step.kind == gpu::StepKind::kBarrierArrive;
  if (arrives) ++arrivals->second;
  if (is_new && step.round >= 2) block.arrivals.erase(key - 2);  // all have passed it
  put(warp, {arrives ? OpKind::kArrive : OpKind::kPass, 0, arrivals->second, step.instructions});
  warp.put_word(key);
  bytes_ += sizeof(std::uint64_t);
}

void StepRecorder::drop() {
  last_ = nullptr;
  bytes_ = 0;
  std::erase_if(blocks_, [](const auto& each) {
    return each.second->running == 0 && std::ranges::all_of(each.second->done, std::identity{});
  });
  for (const auto& [number, block] : blocks_) {
    for (WarpProgram& warp : block->warps) {
      (void)warp.drop();
      bytes_ += warp.bytes();
    }
  }
}

void StepRecorder::end() {
  for (const auto& [number, block] : blocks_) {
    for (std::size_t i = 0; i < block->warps.size(); ++i) {
      if (block->live[i] == 0) continue;
      block->live[i] = 0;
      put(block->warps[i], {OpKind::kExit, 0, 0, 0});
    }
    block->running = 0;
  }
}

}  // namespace redflag::sim
