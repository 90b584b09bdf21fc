#include "frontends/cuda/emulate/mbarrier.h"

#include <cstring>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

Block& owner(const Run& run, unsigned lane) {
  const std::uint64_t index = gpu::shared_block(run.address[lane]);
  for (const std::unique_ptr<Block>& each : run.block->cluster->blocks) {
    if (each->index == index) return *each;
  }
  return *run.block;
}

std::uint32_t& phase(const Run& run, unsigned lane) {
  const auto offset = static_cast<std::uint32_t>(gpu::shared_offset(run.address[lane]));
  return owner(run, lane).phases[offset];
}

std::uint64_t load(const Run& run, unsigned lane) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(run.host[lane]), 8);
  return word;
}
void store(const Run& run, unsigned lane, const Mbarrier& gate) {
  const std::uint64_t word = gate.pack();
  std::memcpy(reinterpret_cast<void*>(run.host[lane]), &word, 8);
}

void tell(Run& run, const MicroOp& op, const MemoryOp& memory, gpu::StepKind kind, Lanes lanes,
          std::uint32_t round) {
  if (run.machine->sink == nullptr || lanes == 0) return;
  gpu::Step step = run.step(kind, op, lanes);
  step.space = gpu::Space::kShared;
  step.size = 8;
  step.address = run.address;
  step.round = round;
  step.order = memory.order;
  step.scope = memory.scope;
  run.machine->sink->step(step);
}

void wait(Run& run, const MicroOp& op, const AsyncOp& how) {
  Lanes complete = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    const bool parity = Mbarrier::unpack(load(run, lane)).parity;
    const bool asked = how.parity
                           ? (run.at<std::uint32_t>(how.number)[lane] & 1) != 0
                           : Mbarrier::unpack(run.at<std::uint64_t>(how.number)[lane]).parity;
    if (parity != asked) complete |= 1U << lane;
  });
  for (Lanes rest = complete; rest != 0;) {  // one step for each round
    const std::uint32_t round = mbarrier_round(run, first(rest));
    Lanes same = 0;
    for_each_lane(rest, [&](unsigned lane) {
      if (mbarrier_round(run, lane) == round) same |= 1U << lane;
    });
    tell(run, op, how.memory, gpu::StepKind::kMbarrierWait, same, round - 1);
    rest &= ~same;
  }
  auto* const to = run.at<Lanes>(how.result);
  *to = (*to & ~run.active) | complete;
  if (complete == run.active) {
    run.spins = 0;
  } else if (++run.spins >= kSpinsBeforeYield) {
    run.leave();
  }
}

}  // namespace

std::uint32_t mbarrier_round(const Run& run, unsigned lane) {
  return phase(run, lane);
}

std::uint64_t mbarrier_arrive(Run& run, unsigned lane, std::uint32_t arrivals, std::int64_t bytes,
                              bool drops) {
  const std::uint64_t before = load(run, lane);
  Mbarrier gate = Mbarrier::unpack(before);
  gate.bytes += static_cast<std::int32_t>(bytes);
  gate.pending -= std::min(arrivals, gate.pending);
  if (drops) gate.expected -= std::min(arrivals, gate.expected);
  if (gate.pending == 0 && gate.bytes == 0) {
    gate.pending = gate.expected;
    gate.parity = !gate.parity;
    ++phase(run, lane);
  }
  store(run, lane, gate);
  return before;
}

void do_mbarrier(Run& run, const MicroOp& op) {
  const AsyncOp& how = *static_cast<const AsyncOp*>(op.extra);
  using ptx::Op;
  if (how.op == Op::kMbarrierPendingCount) {
    const auto* const token = run.at<std::uint64_t>(how.number);
    auto* const to = run.at<std::uint32_t>(how.result);
    for_each_lane(run.active,
                  [&](unsigned lane) { to[lane] = Mbarrier::unpack(token[lane]).pending; });
    return;
  }
  const bool generic = space_kind(how.memory.space) == SpaceKind::kGeneric;
  const Resolved where = generic ? resolve<SpaceKind::kGeneric>(run, op, how.memory, 8, 8, true)
                                 : resolve<SpaceKind::kShared>(run, op, how.memory, 8, 8, true);
  if (!where.good) return;
  if (where.shared != run.active) {
    run.fault(FaultKind::kOutOfBounds, op, first(run.active & ~where.shared),
              run.address[first(run.active & ~where.shared)], 8, true);
    return;
  }
  const auto number = [&](unsigned lane, std::uint32_t otherwise) {
    return how.number == kNoRef ? otherwise : run.at<std::uint32_t>(how.number)[lane];
  };
  switch (how.op) {
    case Op::kMbarrierInit:
      for_each_lane(run.active, [&](unsigned lane) {
        const std::uint32_t expected = number(lane, 1);
        store(run, lane, {expected, expected, 0, false});
        phase(run, lane) = 0;
      });
      tell(run, op, how.memory, gpu::StepKind::kMbarrierInit, run.active, 0);
      return;
    case Op::kMbarrierInval:
      for_each_lane(run.active, [&](unsigned lane) { phase(run, lane) = 0; });
      tell(run, op, how.memory, gpu::StepKind::kMbarrierInval, run.active, 0);
      return;
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
      wait(run, op, how);
      return;
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx: {
      const bool expects = how.op == Op::kMbarrierExpectTx;
      for_each_lane(run.active, [&](unsigned lane) {
        const std::int64_t bytes = number(lane, 0);
        if (expects) {  // alone it completes nothing
          Mbarrier gate = Mbarrier::unpack(load(run, lane));
          gate.bytes += static_cast<std::int32_t>(bytes);
          store(run, lane, gate);
        } else {
          mbarrier_arrive(run, lane, 0, -bytes);
        }
      });
      return;
    }
    default:
      break;
  }
  // Arrivals, in the order of lanes: told together as long as they are of one phase.
  Lanes untold = 0;
  std::uint32_t round = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    const std::uint32_t now = mbarrier_round(run, lane);
    if (untold != 0 && now != round) {
      tell(run, op, how.memory, gpu::StepKind::kMbarrierArrive, untold, round);
      untold = 0;
    }
    round = now;
    untold |= 1U << lane;
    const std::uint32_t arrivals = how.expects ? 1 : number(lane, 1);
    const std::int64_t bytes = how.expects ? number(lane, 0) : 0;
    const std::uint64_t token =
        mbarrier_arrive(run, lane, arrivals, bytes, how.op == Op::kMbarrierArriveDrop);
    if (how.result != kNoRef) run.at<std::uint64_t>(how.result)[lane] = token;
  });
  tell(run, op, how.memory, gpu::StepKind::kMbarrierArrive, untold, round);
}

}  // namespace redflag::cuda
