// cp.async and its groups, and cp.async.bulk between global and shared memory.
// (PTX ISA 9.0, section 9.7.9.25.)
//
// A copy is noted when it is issued and performed when it is waited for, or at once, by the seed: so
// that a program that forgets to wait reads old data in some schedule. Bulk copies are performed at once and
// told in pieces; their groups are counted together with those of cp.async.
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

void do_copy_bulk(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const Lanes active = run.active;
  for (Lanes rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    run.active = 1U << lane;
    const std::uint32_t bytes = run.at<std::uint32_t>(how.number)[lane];
    const MemoryOp from = source_of(how.memory);
    const Resolved read = resolve_in(from.space, run, op, from, bytes, 16, false);
    if (!read.good) return;
    const std::uint64_t source_host = run.host[lane];
    std::uint64_t source[kWarp] = {};
    source[lane] = run.address[lane];
    const Resolved where = resolve_in(how.memory.space, run, op, how.memory, bytes, 16, true);
    if (!where.good) return;
    std::memmove(reinterpret_cast<void*>(run.host[lane]),
                 reinterpret_cast<const void*>(source_host), bytes);
    if (run.machine->sink != nullptr) {
      constexpr std::uint32_t kPiece = 128;
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
    }
    if (!how.has_mbarrier) continue;
    MemoryOp gate;
    gate.space = how.mbarrier_space;
    gate.base = how.mbarrier;
    gate.base_bits = how.mbarrier_bits;
    gate.offset = how.mbarrier_offset;
    const Resolved at = resolve_in(gate.space, run, op, gate, 8, 8, true);
    if (!at.good) return;
    if (run.machine->sink != nullptr) {
      gpu::Step step = run.step(gpu::StepKind::kAsyncArrive, op, run.active);
      step.space = gpu::Space::kShared;
      step.size = 8;
      step.address = run.address;
      step.round = mbarrier_round(run, lane);
      run.machine->sink->step(step);
    }
    mbarrier_arrive(run, lane, 0, -static_cast<std::int64_t>(bytes));
  }
  run.active = active;
}

}  // namespace redflag::cuda
