// Barriers of a block (bar, barrier) and of a cluster. (PTX ISA 9.0, sections 9.7.13.1 and 9.7.13.4.)
//
// Threads are counted one by one, since lanes may arrive apart; a warp whose live lanes all come
// together counts as 32 where the program gives a number of threads, as the hardware counts warps.
// Without a number all live threads of the block are needed: one that ended needs not come. A barrier
// that wants whole warps (.aligned, bar.*) waits for the rest of the warp while any of it can come.
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {
namespace {

void tell(Worker& worker, Warp& warp, const Activation& frame, const MicroOp& op, Lanes lanes,
          gpu::StepKind kind, std::uint32_t object, std::uint32_t round, Order order,
          bool aligned = false, std::uint32_t expected = 0) {
  gpu::Step step;
  step.aligned = aligned;
  step.expected = expected;
  step.kind = kind;
  step.lanes = step.converged = lanes;
  step.warp = warp.index;
  // What the running group has executed since it was counted last comes with a later step.
  if (warp.executed > warp.told) {
    step.instructions = static_cast<std::uint32_t>(warp.executed - warp.told);
    warp.told = warp.executed;
  }
  step.block = warp.block->index;
  step.site = frame.code->site(op);
  step.object = object;
  step.round = round;
  step.order = order;
  step.scope = kind == gpu::StepKind::kBarrierArrive || kind == gpu::StepKind::kBarrierPass
                   ? Scope::kBlock
                   : Scope::kCluster;
  worker.machine.sink->step(step);
}

// Groups that wait at one place with one future go on as one.
void merge_ready(Warp& warp, std::uint32_t slots) {
  for (std::uint32_t a = slots; a != 0; a &= a - 1) {
    Group& group = warp.groups[first(a)];
    for (std::uint32_t b = a & (a - 1); b != 0; b &= b - 1) {
      Group& other = warp.groups[first(b)];
      if ((warp.used >> first(b) & 1) == 0) continue;
      if (other.pc != group.pc || other.frame != group.frame || other.join != group.join) continue;
      group.mask |= other.mask;
      warp.drop_group(other);
      a &= ~(1U << first(b));
    }
  }
}

void give_result(const Group& group, const BarrierOp& how, const Barrier& barrier) {
  std::byte* const registers = group.frame->registers();
  auto* const to = reinterpret_cast<std::uint32_t*>(registers + (how.result & ~Ref{3}));
  if (how.operation == ptx::Operation::kPopc) {
    for_each_lane(group.active, [&](unsigned lane) { to[lane] = barrier.popc; });
    return;
  }
  const bool all = how.operation == ptx::Operation::kAnd;
  const bool yes = all ? barrier.popc == barrier.voters : barrier.popc > 0;
  *to = yes ? *to | group.active : *to & ~group.active;
}

}  // namespace

void Worker::complete_barrier(Block& block, unsigned which) {
  Barrier& barrier = block.barriers[which];
  const std::uint32_t needed = barrier.needed != 0 ? barrier.needed : block.live;
  if (barrier.arrived < needed || barrier.arrived == 0) return;
  const std::uint32_t round = barrier.round;
  for (const std::unique_ptr<Warp>& warp : block.warps) {
    std::uint32_t freed = 0;
    for (std::uint32_t slots = warp->used; slots != 0; slots &= slots - 1) {
      Group& group = warp->groups[first(slots)];
      if (group.wait != Wait::kBarrier || group.barrier != which) continue;
      const MicroOp& op = group.pc[-1];
      const auto& how = *static_cast<const BarrierOp*>(op.extra);
      if (how.kind == BarrierKind::kReduce) give_result(group, how, barrier);
      if (machine.sink != nullptr) {
        tell(*this, *warp, *group.frame, op, group.active, gpu::StepKind::kBarrierPass, which,
             round, Order::kAcqRel);
      }
      warp->set_ready(group);
      freed |= 1U << first(slots);
    }
    if ((freed & (freed - 1)) != 0) merge_ready(*warp, freed);
  }
  barrier = {};
  barrier.round = round + 1;
}

namespace {

// `lanes` of a warp arrive, of which some may stand in other groups than those of this frame.
void arrive(Worker& worker, Warp& warp, Activation& frame, const MicroOp& op, unsigned which,
            Lanes lanes) {
  const auto& how = *static_cast<const BarrierOp*>(op.extra);
  const Words words(warp, frame);
  Barrier& barrier = warp.block->barriers[which];
  barrier.in_use = true;
  std::uint32_t arrives = count(lanes);
  if (how.threads != kNoRef) {
    const std::uint32_t wanted = words.at<std::uint32_t>(how.threads)[first(lanes)];
    barrier.needed = (wanted + kWarp - 1) / kWarp * kWarp;
    if (lanes == warp.live) arrives = kWarp;
  }
  barrier.arrived += arrives;
  if (worker.machine.sink == nullptr) return;
  tell(worker, warp, frame, op, lanes, gpu::StepKind::kBarrierArrive, which, barrier.round,
       Order::kAcqRel, how.aligned, barrier.needed);
}

void vote(Warp& warp, Activation& frame, const BarrierOp& how, unsigned which, Lanes lanes) {
  if (how.kind != BarrierKind::kReduce) return;
  Barrier& barrier = warp.block->barriers[which];
  barrier.popc += count(*Words(warp, frame).at<Lanes>(how.vote) & lanes);
  barrier.voters += count(lanes);
}

void wait_at(Run& run, unsigned which, Wait wait) {
  Group& group = *run.group;
  group.active = run.active;
  group.barrier = static_cast<std::uint8_t>(which);
  group.pc = run.pc;
  group.frame = run.frame;
  run.warp->set_waiting(group, wait);
  run.leave();
}

}  // namespace

void do_barrier(Run& run, const MicroOp& op) {
  const auto& how = *static_cast<const BarrierOp*>(op.extra);
  const unsigned lane = first(run.active);
  const std::uint32_t which = run.at<std::uint32_t>(how.number)[lane];
  if (which >= kBarriers) {
    run.fault(FaultKind::kTrap, op, lane, 0, 0, false,
              "barrier number " + std::to_string(which) + ": needed a number from 0 to 15");
    return;
  }
  Group* const group = run.group;
  Warp& warp = *run.warp;
  run.count_instructions();
  // Lanes that a guard leaves out never come: nobody waits for them.
  const bool in_parts = run.active != warp.live && run.active == run.mask;
  if (how.aligned && in_parts) {
    wait_at(run, which, Wait::kAligned);
    run.worker->arrive_together(warp, false);
  } else {
    arrive(*run.worker, warp, *run.frame, op, which, run.active);
    vote(warp, *run.frame, how, which, run.active);
    if (how.kind != BarrierKind::kArrive) wait_at(run, which, Wait::kBarrier);
    run.worker->complete_barrier(*run.block, which);
  }
  // Merging may have changed who is in the group, or ended it.
  if ((warp.used >> (group - warp.groups) & 1) == 0) run.group = nullptr;
}

// Hardware meets at the end of a branch and never lets lanes go from there, so that a warp comes to its
// barrier whole; here lanes may have been let go (machine.h), and meet again at the barrier.
bool Worker::arrive_together(Warp& warp, bool in_parts) {
  bool any = false;
  for (std::uint32_t slots = warp.used; slots != 0; slots &= slots - 1) {
    Group& group = warp.groups[first(slots)];
    if (group.wait != Wait::kAligned || (warp.used >> first(slots) & 1) == 0) continue;
    const MicroOp& op = group.pc[-1];
    const unsigned which = group.barrier;
    Lanes there = 0;
    std::uint32_t with = 0;
    for (std::uint32_t others = slots; others != 0; others &= others - 1) {
      const Group& other = warp.groups[first(others)];
      if (other.wait != Wait::kAligned || other.pc != group.pc || other.barrier != which) continue;
      there |= other.active;
      with |= 1U << first(others);
    }
    if (there != warp.live && !in_parts) continue;
    any = true;
    const auto& how = *static_cast<const BarrierOp*>(op.extra);
    arrive(*this, warp, *group.frame, op, which, there);
    for (std::uint32_t each = with; each != 0; each &= each - 1) {
      Group& other = warp.groups[first(each)];
      vote(warp, *other.frame, how, which, other.active);
      if (how.kind == BarrierKind::kArrive) {
        warp.set_ready(other);
      } else {
        warp.set_waiting(other, Wait::kBarrier);
      }
    }
    if (how.kind == BarrierKind::kArrive) merge_ready(warp, with);
    complete_barrier(*warp.block, which);
  }
  return any;
}

void do_cluster_arrive(Run& run, const MicroOp& op) {
  Cluster& cluster = *run.block->cluster;
  const Lanes lanes = run.active;
  for_each_lane(lanes, [&](unsigned lane) { run.warp->cluster_round[lane] = cluster.round + 1; });
  cluster.arrived += count(lanes);
  if (run.machine->sink != nullptr) {
    tell(*run.worker, *run.warp, *run.frame, op, lanes, gpu::StepKind::kClusterArrive, 0,
         cluster.round, static_cast<Order>(op.constant));
  }
  run.worker->complete_cluster(cluster);
}

void do_cluster_wait(Run& run, const MicroOp& op) {
  const Cluster& cluster = *run.block->cluster;
  bool passed = true;
  std::uint32_t round = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    round = run.warp->cluster_round[lane];
    if (round > cluster.round) passed = false;
  });
  if (passed) {
    if (run.machine->sink != nullptr && round > 0) {
      tell(*run.worker, *run.warp, *run.frame, op, run.active, gpu::StepKind::kClusterPass, 0,
           round - 1, static_cast<Order>(op.constant));
    }
    return;
  }
  --run.pc;  // looked at again when the round is complete
  run.group->active = run.active;
  run.warp->set_waiting(*run.group, Wait::kCluster);
  ++run.budget;
  run.leave();
}

void Worker::complete_cluster(Cluster& cluster) {
  if (cluster.arrived < cluster.live || cluster.arrived == 0) return;
  cluster.arrived = 0;
  ++cluster.round;
  for (const std::unique_ptr<Block>& block : cluster.blocks) {
    for (const std::unique_ptr<Warp>& warp : block->warps) {
      std::uint32_t freed = 0;
      for (std::uint32_t slots = warp->used; slots != 0; slots &= slots - 1) {
        Group& group = warp->groups[first(slots)];
        if (group.wait != Wait::kCluster) continue;
        warp->set_ready(group);
        freed |= 1U << first(slots);
      }
      if ((freed & (freed - 1)) != 0) merge_ready(*warp, freed);
    }
  }
}

}  // namespace redflag::cuda
