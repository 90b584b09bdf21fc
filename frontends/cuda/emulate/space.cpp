#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {

const Interval* Worker::interval_of(std::uint64_t address) {
  const std::uint32_t now = machine.memory->generation();
  if (now != generation) {
    for (Interval& each : intervals) each = {};
    generation = now;
  }
  thread_local Interval found;
  found = machine.memory->find(address);
  return &found;
}

bool check_global(Run& run, const MicroOp& op, const std::uint64_t* address, Lanes lanes,
                  std::uint32_t bytes, std::uint32_t align, bool writes) {
  Worker& worker = *run.worker;
  Interval last;
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    const std::uint64_t at = address[lane];
    if ((at & (align - 1)) != 0) {
      run.fault(FaultKind::kMisaligned, op, lane, at, bytes, writes);
      return false;
    }
    if (last.end != 0 && last.contains(at, bytes)) continue;
    last = *worker.interval_of(at);
    if (last.end == 0 || !last.contains(at, bytes)) {
      const bool freed = last.end == 0 && run.machine->memory->find_freed(at).end != 0;
      run.fault(freed ? FaultKind::kUseAfterFree : FaultKind::kOutOfBounds, op, lane, at, bytes,
                writes);
      return false;
    }
  }
  worker.intervals[op.instruction % kCachedIntervals] = last;
  return true;
}

bool resolve_shared_lanes(Run& run, const MicroOp& op, const std::uint64_t* offset, Lanes lanes,
                          std::uint32_t bytes, std::uint32_t align, bool writes,
                          std::uint64_t* told, std::uint64_t* host) {
  const std::vector<std::unique_ptr<Block>>& blocks = run.block->cluster->blocks;
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    const std::uint64_t at = offset[lane];
    const std::uint64_t rank = at >> kRankShift;
    const std::uint64_t within = at & ((std::uint64_t{1} << kRankShift) - 1);
    const bool inside = rank <= blocks.size() && within + bytes <= run.machine->shared_bytes;
    if (!inside) {
      run.fault(FaultKind::kOutOfBounds, op, lane, at, bytes, writes, "shared");
      return false;
    }
    if ((within & (align - 1)) != 0) {
      run.fault(FaultKind::kMisaligned, op, lane, at, bytes, writes, "shared");
      return false;
    }
    const Block& block = rank == 0 ? *run.block : *blocks[rank - 1];
    told[lane] = gpu::shared_address(block.index, within);
    host[lane] = reinterpret_cast<std::uint64_t>(block.shared) + within;
  }
  return true;
}

bool resolve_local_lanes(Run& run, const MicroOp& op, const std::uint64_t* offset, Lanes lanes,
                         std::uint32_t bytes, std::uint32_t align, bool writes,
                         std::uint64_t* host) {
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    const std::uint64_t at = offset[lane];
    if (run.warp->local == nullptr || at + bytes > run.frame->local_top) {
      run.fault(FaultKind::kOutOfBounds, op, lane, at, bytes, writes, "local");
      return false;
    }
    if ((at & (align - 1)) != 0) {
      run.fault(FaultKind::kMisaligned, op, lane, at, bytes, writes, "local");
      return false;
    }
    host[lane] = reinterpret_cast<std::uint64_t>(run.warp->local) +
                 ((at >> 5) * kWarp + lane) * 32 + (at & 31);
  }
  return true;
}

const std::byte* peek(const Run& run, std::uint64_t address, unsigned lane, std::uint32_t bytes) {
  if (address >= kLocalWindow && address - kLocalWindow < kLocalLimit) {
    const std::uint64_t at = address - kLocalWindow;
    if (run.warp->local == nullptr) return nullptr;
    return run.warp->local + ((at >> 5) * kWarp + lane) * 32 + (at & 31);
  }
  if (address >= kSharedWindow && address - kSharedWindow < kWindowBytes) {
    const std::uint64_t at = (address - kSharedWindow) & ((std::uint64_t{1} << kRankShift) - 1);
    return at + bytes <= run.machine->shared_bytes ? run.block->shared + at : nullptr;
  }
  return run.machine->memory->find(address).contains(address, bytes)
             ? reinterpret_cast<const std::byte*>(address)
             : nullptr;
}

}  // namespace redflag::cuda
