// st.async, red.async and cp.reduce.async.bulk: stores and reductions that others wait for.
// (PTX ISA 9.0, sections 9.7.9.12, 9.7.13.8 and 9.7.9.25.4.2.)
//
// They are performed at once. A store is told as an asynchronous copy of the place onto itself, so that
// only who waits for its bytes is ordered behind it. Reductions are told as relaxed atomics of the lane, of
// which there may be many on one element, and their bytes as an arrival that releases: more than the
// manual gives, since what the lane did before is then ordered too. The source of a bulk reduction is told as
// read when it is issued.
#include <algorithm>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/mbarrier.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

// Bytes of the value that a lane brings.
std::uint32_t take_value(const Run& run, const MicroOp& op, const MemoryOp& how, unsigned lane,
                         std::byte* to) {
  for (unsigned i = 0; i < op.sources; ++i) {
    const std::uint64_t word = how.element == 8 ? run.at<std::uint64_t>(op.refs[i])[lane]
                                                : run.at<std::uint32_t>(op.refs[i])[lane];
    std::memcpy(to + std::size_t{how.element} * i, &word, how.element);
  }
  return how.element * std::uint32_t{op.sources};
}

void complete_all(Run& run, const MicroOp& op, const AsyncOp& how, std::uint32_t bytes,
                  gpu::StepKind told) {
  std::uint64_t gates[kWarp];
  compute_addresses(run, how.mbarrier, how.mbarrier_bits, how.mbarrier_offset, gates);
  for (Lanes rest = run.active; rest != 0; rest &= rest - 1) {
    if (!complete_bytes(run, op, how, first(rest), gates[first(rest)], bytes, told)) return;
  }
}

}  // namespace

void do_store_async(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const MemoryOp& memory = how.memory;
  const Resolved where =
      resolve_in(memory.space, run, op, memory, memory.bytes, memory.align, true);
  if (!where.good) return;
  for_each_lane(run.active, [&](unsigned lane) {
    std::byte value[64];
    const std::uint32_t bytes = take_value(run, op, memory, lane, value);
    std::memcpy(reinterpret_cast<void*>(run.host[lane]), value, bytes);
  });
  if (run.machine->sink != nullptr) {
    gpu::Step step = run.step(gpu::StepKind::kAsyncCopy, op, run.active);
    step.space = gpu::Space::kShared;
    step.size = memory.bytes;
    step.address = step.source = run.address;
    run.machine->sink->step(step);
  }
  complete_all(run, op, how, memory.bytes, gpu::StepKind::kAsyncArrive);
}

void do_reduce_async(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const MemoryOp& memory = how.memory;
  const Resolved where =
      resolve_in(memory.space, run, op, memory, memory.bytes, memory.align, true);
  if (!where.good) return;
  for_each_lane(run.active, [&](unsigned lane) {
    std::byte value[64];
    take_value(run, op, memory, lane, value);
    reduce_element(memory, run.host[lane], value, false);
  });
  if (run.machine->sink != nullptr) {
    tell_memory(run, op, memory, gpu::StepKind::kAtomicRmw, where, memory.bytes, false, run.active);
  }
  complete_all(run, op, how, memory.bytes, gpu::StepKind::kMbarrierArrive);
}

void do_reduce_bulk(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  const MemoryOp& memory = how.memory;
  const Lanes active = run.active;
  MemoryOp from = memory;
  from.base = memory.source_base;
  from.base_bits = memory.source_base_bits;
  from.offset = memory.source_offset;
  std::uint64_t gates[kWarp];
  compute_addresses(run, how.mbarrier, how.mbarrier_bits, how.mbarrier_offset, gates);
  for (Lanes rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    run.active = Lanes{1} << lane;
    const std::uint32_t bytes = run.at<std::uint32_t>(how.number)[lane];
    const Resolved read = resolve_in(memory.source_space, run, op, from, bytes, 16, false);
    if (!read.good) return;
    const std::uint64_t source_host = run.host[lane];
    const auto tell_by = [&](const MemoryOp& as, const Resolved& where, gpu::StepKind kind,
                             std::uint32_t piece) {
      if (run.machine->sink == nullptr) return;
      for (std::uint32_t at = 0; at < bytes; at += piece) {
        tell_memory(run, op, as, kind, where, std::min(piece, bytes - at), false, run.active);
        run.address[lane] += piece;
      }
    };
    MemoryOp plain = from;
    plain.order = Order::kPlain;
    tell_by(plain, read, gpu::StepKind::kRead, 128);
    const Resolved where = resolve_in(memory.space, run, op, memory, bytes, 16, true);
    if (!where.good) return;
    for (std::uint32_t at = 0; at + memory.element <= bytes; at += memory.element) {
      reduce_element(memory, run.host[lane] + at, reinterpret_cast<const void*>(source_host + at),
                     run.machine->parallel && where.global != 0);
    }
    tell_by(memory, where, gpu::StepKind::kAtomicRmw, memory.element);
    if (how.has_mbarrier &&
        !complete_bytes(run, op, how, lane, gates[lane], bytes, gpu::StepKind::kMbarrierArrive)) {
      return;
    }
  }
  run.active = active;
}

}  // namespace redflag::cuda
