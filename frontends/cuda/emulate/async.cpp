// cp.async and its groups, and cp.async.bulk between global and shared memory.
// (PTX ISA 9.0, section 9.7.9.25.)
//
// A copy is noted when it is issued and performed when it is waited for, or at once, by the seed: so
// that a program that forgets to wait reads old data in some schedule. Bulk copies are performed at once and
// told in pieces; their groups are counted together with those of cp.async, and waiting for their reads
// (.read) counts as waiting for all of it.
#include <algorithm>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/mbarrier.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

MemoryOp source_of(const MemoryOp& how) {
  MemoryOp source = how;
  source.space = how.source_space;
  source.base = how.source_base;
  source.base_bits = how.source_base_bits;
  source.offset = how.source_offset;
  return source;
}

void perform(AsyncCopy& copy, Lanes lanes) {
  for_each_lane(lanes & copy.lanes, [&](unsigned lane) {
    auto* const to = reinterpret_cast<std::byte*>(copy.to[lane]);
    const std::uint32_t filled = std::min(copy.filled[lane], copy.bytes);
    std::memcpy(to, reinterpret_cast<const void*>(copy.from[lane]), filled);
    std::memset(to + filled, 0, copy.bytes - filled);
  });
  copy.lanes &= ~lanes;
}

}  // namespace

void Worker::finish_copies(Warp& warp, Lanes lanes, std::uint32_t keep, bool uncommitted) {
  for (AsyncCopy& copy : warp.copies) {
    Lanes ready = 0;
    for_each_lane(lanes & copy.lanes, [&](unsigned lane) {
      const bool committed = copy.group[lane] < warp.commits[lane];
      const bool old = committed && warp.commits[lane] - copy.group[lane] > keep;
      if (old || (uncommitted && keep == 0)) ready |= 1U << lane;
    });
    perform(copy, ready);
  }
  std::erase_if(warp.copies, [](const AsyncCopy& copy) { return copy.lanes == 0; });
}

void do_copy_async(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const std::uint32_t bytes = how.memory.bytes;
  AsyncCopy copy;
  copy.bytes = bytes;
  std::uint64_t source[kWarp];
  Lanes reads = run.active;
  for_each_lane(run.active, [&](unsigned lane) {
    copy.filled[lane] =
        how.filled != kNoRef ? std::min(run.at<std::uint32_t>(how.filled)[lane], bytes) : bytes;
    if (how.ignore != kNoRef && (*run.at<Lanes>(how.ignore) >> lane & 1) != 0)
      copy.filled[lane] = 0;
    if (copy.filled[lane] == 0) reads &= ~(1U << lane);
  });
  const MemoryOp from = source_of(how.memory);
  compute_addresses(run, from.base, from.base_bits, from.offset, source);
  if (reads != 0) {
    const Lanes active = run.active;
    run.active = reads;
    const Resolved found = resolve_in(from.space, run, op, from, bytes, bytes, false);
    run.active = active;
    if (!found.good) return;
    std::memcpy(copy.from, run.host, sizeof(copy.from));
    std::memcpy(source, run.address, sizeof(source));
  }
  const Resolved where = resolve_in(how.memory.space, run, op, how.memory, bytes, bytes, true);
  if (!where.good) return;
  copy.lanes = run.active;
  std::memcpy(copy.to, run.host, sizeof(copy.to));
  std::memcpy(copy.group, run.warp->commits, sizeof(copy.group));
  if (run.machine->sink != nullptr) {
    gpu::Step step = run.step(gpu::StepKind::kAsyncCopy, op, run.active);
    step.space = gpu::Space::kShared;
    step.size = static_cast<std::uint8_t>(bytes);
    step.address = run.address;
    step.source = source;
    run.machine->sink->step(step);
  }
  if (run.worker->coin()) {
    perform(copy, copy.lanes);
  } else {
    run.warp->copies.push_back(copy);
  }
}

void do_copy_commit(Run& run, const MicroOp& op) {
  for_each_lane(run.active, [&](unsigned lane) { ++run.warp->commits[lane]; });
  if (run.machine->sink != nullptr) {
    run.machine->sink->step(run.step(gpu::StepKind::kAsyncCommit, op, run.active));
  }
}

void do_copy_wait(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const std::uint32_t keep = how.all ? 0 : run.at<std::uint32_t>(how.number)[first(run.active)];
  run.worker->finish_copies(*run.warp, run.active, keep, how.all);
  if (run.machine->sink != nullptr) {
    gpu::Step step = run.step(gpu::StepKind::kAsyncWait, op, run.active);
    step.object = how.all ? ~0U : keep;
    run.machine->sink->step(step);
  }
}

void do_copy_arrive(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  run.worker->finish_copies(*run.warp, run.active, 0, true);
  const Resolved where = resolve_in(how.memory.space, run, op, how.memory, 8, 8, true);
  if (!where.good) return;
  if (run.machine->sink != nullptr) {
    gpu::Step step = run.step(gpu::StepKind::kAsyncArrive, op, run.active);
    step.space = gpu::Space::kShared;
    step.size = 8;
    step.address = run.address;
    step.round = mbarrier_round(run, first(run.active));
    run.machine->sink->step(step);
  }
  // Without .noinc the arrival that was added is taken away again.
  if (!how.no_increment) return;
  for_each_lane(run.active, [&](unsigned lane) { mbarrier_arrive(run, lane, 1, 0); });
}

namespace {

// The bytes of one lane's copy, from where `source` tells and `source_host` has them, to `to`.
bool copy_to(Run& run, const MicroOp& op, const AsyncOp& how, unsigned lane, std::uint64_t to,
             std::uint32_t bytes, std::uint64_t told, std::uint64_t source_host) {
  run.address[lane] = to;
  const Resolved where = resolve_at(how.memory.space, run, op, bytes, 16, true);
  if (!where.good) return false;
  std::memmove(reinterpret_cast<void*>(run.host[lane]), reinterpret_cast<const void*>(source_host),
               bytes);
  if (run.machine->sink == nullptr) return true;
  constexpr std::uint32_t kPiece = 128;
  std::uint64_t source[kWarp] = {};
  source[lane] = told;
  gpu::Step step = run.step(gpu::StepKind::kAsyncCopy, op, run.active);
  step.space = where.shared != 0 ? gpu::Space::kShared : gpu::Space::kGlobal;
  step.address = run.address;
  step.source = source;
  for (std::uint32_t at = 0; at < bytes; at += kPiece) {
    step.size = static_cast<std::uint8_t>(std::min(kPiece, bytes - at));
    run.machine->sink->step(step);
    run.address[lane] += kPiece;
    source[lane] += kPiece;
  }
  return true;
}

// The address of the same place in the shared memory of a block of the cluster.
std::uint64_t in_block(std::uint64_t address, std::uint32_t rank, bool generic) {
  const std::uint64_t window = generic ? kSharedWindow : 0;
  const std::uint64_t within = (address - window) & ((std::uint64_t{1} << kRankShift) - 1);
  return window + (within | std::uint64_t{rank + 1} << kRankShift);
}

}  // namespace

bool complete_bytes(Run& run, const MicroOp& op, const AsyncOp& how, unsigned lane,
                    std::uint64_t at, std::uint32_t bytes, gpu::StepKind told) {
  run.address[lane] = at;
  const Lanes active = run.active;
  run.active = Lanes{1} << lane;
  const Resolved where = resolve_at(how.mbarrier_space, run, op, 8, 8, true);
  if (where.good && run.machine->sink != nullptr) {
    gpu::Step step = run.step(told, op, run.active);
    step.space = gpu::Space::kShared;
    step.size = 8;
    step.address = run.address;
    step.round = mbarrier_round(run, lane);
    if (told == gpu::StepKind::kMbarrierArrive) {
      step.order = Order::kRelease;
      step.scope = Scope::kCluster;
    }
    run.machine->sink->step(step);
  }
  if (where.good) mbarrier_arrive(run, lane, 0, -static_cast<std::int64_t>(bytes));
  run.active = active;
  return where.good;
}

void do_copy_bulk(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const Lanes active = run.active;
  const bool generic = space_kind(how.memory.space) == SpaceKind::kGeneric;
  const MemoryOp from = source_of(how.memory);
  std::uint64_t to[kWarp], gate[kWarp];
  compute_addresses(run, how.memory.base, how.memory.base_bits, how.memory.offset, to);
  compute_addresses(run, how.mbarrier, how.mbarrier_bits, how.mbarrier_offset, gate);
  for (Lanes rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    run.active = Lanes{1} << lane;
    const std::uint32_t bytes = run.at<std::uint32_t>(how.number)[lane];
    const Resolved read = resolve_in(from.space, run, op, from, bytes, 16, false);
    if (!read.good) return;
    const std::uint64_t source = run.address[lane], source_host = run.host[lane];
    const auto one = [&](std::uint64_t there, std::uint64_t gate_there) {
      return copy_to(run, op, how, lane, there, bytes, source, source_host) &&
             (!how.has_mbarrier ||
              complete_bytes(run, op, how, lane, gate_there, bytes, gpu::StepKind::kAsyncArrive));
    };
    if (how.blocks == kNoRef) {
      if (!one(to[lane], gate[lane])) return;
      continue;
    }
    for (std::uint32_t ranks = run.at<std::uint32_t>(how.blocks)[lane] & 0xffff; ranks != 0;
         ranks &= ranks - 1) {
      const unsigned rank = first(ranks);
      if (!one(in_block(to[lane], rank, generic), in_block(gate[lane], rank, generic))) return;
    }
  }
  run.active = active;
}

}  // namespace redflag::cuda
