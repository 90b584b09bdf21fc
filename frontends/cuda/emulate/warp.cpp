// Groups, joins and frames: how a warp's lanes part and meet.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "core/base/check.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {

Warp::~Warp() {
  if (local != nullptr) ::munmap(local, std::size_t{kLocalLimit} * kWarp);
}

Group& Warp::add_group(Lanes mask, const MicroOp* pc, Activation* frame, Join* join) {
  REDFLAG_CHECK(used != ~std::uint32_t{0});
  const auto slot = static_cast<unsigned>(__builtin_ctz(~used));
  used |= 1U << slot;
  Group& group = groups[slot];
  group = Group{};
  group.mask = mask;
  group.pc = pc;
  group.frame = frame;
  group.join = join;
  group.fresh = true;
  set_ready(group);
  return group;
}

void Warp::drop_group(Group& group) {
  const std::uint32_t bit = 1U << (&group - groups);
  used &= ~bit;
  ready &= ~bit;
  if (ready == 0) block->ready &= ~(std::uint64_t{1} << index);
}

void Warp::set_ready(Group& group) {
  group.wait = Wait::kReady;
  ready |= 1U << (&group - groups);
  block->ready |= std::uint64_t{1} << index;
}

void Warp::set_waiting(Group& group, Wait wait) {
  group.wait = wait;
  ready &= ~(1U << (&group - groups));
  if (ready == 0) block->ready &= ~(std::uint64_t{1} << index);
}

Join* Warp::add_join() {
  if (free_joins.empty()) {
    joins.push_back(std::make_unique<Join>());
    free_joins.push_back(joins.back().get());
  }
  Join* const join = free_joins.back();
  free_joins.pop_back();
  *join = Join{};
  return join;
}

Activation* Worker::new_frame(const Code& code, Lanes lanes) {
  std::vector<Activation*>& spare = free_frames_[code.index];
  Activation* frame = nullptr;
  if (spare.empty()) {
    const std::size_t bytes = (64 + std::size_t{code.frame_bytes} + 63) / 64 * 64;
    void* const memory = std::aligned_alloc(64, bytes);
    if (memory == nullptr) out_of_memory("registers of the emulated GPU");
    std::memset(memory, 0, bytes);
    frame = new (memory) Activation;
  } else {
    frame = spare.back();
    spare.pop_back();
  }
  frame->code = &code;
  frame->caller = nullptr;
  frame->return_to = nullptr;
  frame->call = nullptr;
  frame->live = lanes;
  frame->depth = 0;
  frame->local_base = 0;
  frame->local_top = code.local_bytes;
  return frame;
}

void Worker::drop_frame(Activation* frame) {
  free_frames_[frame->code->index].push_back(frame);
}

bool Worker::let_go(Warp& warp, Join* innermost) {
  if (machine.options->lockstep) return false;
  bool any = false;
  for (Join* join = innermost; join != nullptr; join = join->parent) {
    if (join->arrived == 0) continue;
    any = true;
    const Lanes lanes = join->arrived;
    join->expected &= ~lanes;
    join->arrived = 0;
    join->ran = 0;
    warp.add_group(lanes, join->at, join->frame, join->parent);
    if (machine.sink != nullptr) {
      gpu::Step step;
      step.kind = gpu::StepKind::kReconverge;
      step.lanes = step.converged = lanes;
      step.warp = warp.index;
      step.block = warp.block->index;
      step.site = join->frame->code->site(*join->at);
      machine.sink->step(step);
    }
  }
  return any;
}

bool Worker::let_go_all(Warp& warp) {
  bool any = false;
  for (std::uint32_t slots = warp.used; slots != 0; slots &= slots - 1) {
    any |= let_go(warp, warp.groups[__builtin_ctz(slots)].join);
  }
  return any;
}

// The lanes leave every join and frame that they are in. A join that waited only for them lets the
// others go on.
void Worker::exit_lanes(Run& at, Lanes lanes, const MicroOp& op) {
  Warp& warp = *at.warp;
  Block& block = *at.block;
  if (!warp.copies.empty()) finish_copies(warp, lanes, 0, true);
  if (machine.sink != nullptr) machine.sink->step(at.step(gpu::StepKind::kExit, op, lanes));
  warp.live &= ~lanes;
  block.live -= count(lanes);
  block.cluster->live -= count(lanes);
  for (Activation* frame = at.frame; frame != nullptr;) {
    Activation* const caller = frame->caller;
    frame->live &= ~lanes;
    if (frame->live == 0) drop_frame(frame);
    frame = caller;
  }
  Join* const innermost = at.group->join;
  at.count_instructions();
  if (lanes == at.mask) {
    warp.drop_group(*at.group);
    at.group = nullptr;
    at.leave();
  } else {
    at.mask &= ~lanes;
    at.group->mask = at.mask;
  }
  for (Join* join = innermost; join != nullptr;) {
    Join* const parent = join->parent;
    join->expected &= ~lanes;
    if (join->expected == 0) {
      warp.drop_join(join);
    } else if (join->expected == join->arrived) {
      const Lanes rest = join->arrived;
      warp.add_group(rest, join->at, join->frame, parent);
      if (machine.sink != nullptr) {
        machine.sink->step(at.step(gpu::StepKind::kReconverge, op, rest));
      }
      warp.drop_join(join);
    }
    join = parent;
  }
  if (warp.used != 0) {
    complete_collectives(warp);
    complete_convergence(warp);
    arrive_together(warp, false);
  }
  for (unsigned i = 0; i < kBarriers; ++i) {
    if (block.barriers[i].in_use) complete_barrier(block, i);
  }
  if (block.cluster->arrived != 0) complete_cluster(*block.cluster);
}

}  // namespace redflag::cuda
