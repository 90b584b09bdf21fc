// Instructions that a warp executes as one: mma, wmma, ldmatrix, stmatrix, movmatrix. (PTX ISA 9.0,
// .sync.aligned: all threads of the warp must execute the same instruction.)
//
// Lanes that come apart, since they were let go from a join (machine.h), wait here for the others and
// go on as one group. Those that can never meet, because they stand at different instructions or left by a
// branch, stay: the launch ends as stuck, with where each lane stands. A warp with fewer than 32 live
// lanes, or a guard that leaves some out, is a fault at once: what the product would be is undefined.
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {

void do_converge(Run& run, const MicroOp& op) {
  ++run.budget;  // no instruction of the program
  if (run.active == ~Lanes{0}) return;
  Warp& warp = *run.warp;
  if (warp.live != ~Lanes{0}) {
    run.fault(FaultKind::kTrap, op, first(run.active), 0, 0, false,
              "a matrix instruction needs all 32 lanes of the warp, and " +
                  std::to_string(count(warp.live)) + " are alive");
    return;
  }
  if (run.active != run.mask) {
    run.fault(FaultKind::kTrap, op, first(run.active), 0, 0, false,
              "a matrix instruction needs all 32 lanes of the warp, and its guard leaves out " +
                  std::to_string(count(run.mask & ~run.active)));
    return;
  }
  --run.pc;  // looked at again when they have met
  Group& group = *run.group;
  group.active = run.active;
  group.pc = run.pc;
  group.frame = run.frame;
  warp.set_waiting(group, Wait::kAll);
  run.leave();
  run.worker->complete_convergence(warp);
  if ((warp.used >> (&group - warp.groups) & 1) == 0) run.group = nullptr;
}

void Worker::complete_convergence(Warp& warp) {
  Lanes there = 0;
  Group* one = nullptr;
  bool same = true;
  for (std::uint32_t slots = warp.used; slots != 0; slots &= slots - 1) {
    Group& group = warp.groups[first(slots)];
    if (group.wait != Wait::kAll) continue;
    if (one == nullptr) one = &group;
    same = same && group.pc == one->pc && group.frame == one->frame && group.join == one->join;
    there |= group.mask;
  }
  if (one == nullptr || there != warp.live) return;
  const bool whole = warp.live == ~Lanes{0};
  if (whole && !same) return;
  for (std::uint32_t slots = warp.used; slots != 0; slots &= slots - 1) {
    Group& group = warp.groups[first(slots)];
    if (group.wait != Wait::kAll || &group == one) continue;
    if (!whole) continue;  // one of them will say that lanes have ended
    one->mask |= group.mask;
    warp.drop_group(group);
  }
  warp.set_ready(*one);
  if (!whole || machine.sink == nullptr) return;
  gpu::Step step;
  step.kind = gpu::StepKind::kReconverge;
  step.lanes = step.converged = one->mask;
  step.warp = warp.index;
  step.block = warp.block->index;
  step.site = one->frame->code->site(*one->pc);
  machine.sink->step(step);
}

}  // namespace redflag::cuda
