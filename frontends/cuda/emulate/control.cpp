// Branches, joins, returns and ends.
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {
namespace {

const MicroOp* op_at(const Run& run, std::uint32_t index) {
  return run.frame->code->ops.data() + index;
}

// The join at `at` that the group's lanes are to meet at: the one they have, or a new one.
Join* join_for(Run& run, const MicroOp* at) {
  Join* join = run.group->join;
  if (join != nullptr && join->at == at && join->frame == run.frame) return join;
  join = run.warp->add_join();
  join->at = at;
  join->frame = run.frame;
  join->expected = run.mask;
  join->parent = run.group->join;
  run.group->join = join;
  return join;
}

void tell_branch(Run& run, const MicroOp& op, Lanes first_ones, Lanes other) {
  if (run.machine->sink == nullptr) return;
  gpu::Step step = run.step(gpu::StepKind::kBranch, op, first_ones);
  step.other = other;
  run.machine->sink->step(step);
}

// `taken` go to `to`, the other lanes of the group to `otherwise`; they meet at `meet`.
void part(Run& run, const MicroOp& op, Lanes taken, const MicroOp* to, const MicroOp* otherwise,
          const MicroOp* meet) {
  run.count_instructions();
  Join* const join = join_for(run, meet);
  const Lanes rest = run.mask & ~taken;
  bool taken_first = run.worker->coin();
  if (to == meet) {
    taken_first = false;
  } else if (otherwise == meet) {
    taken_first = true;
  }
  const Lanes now = taken_first ? taken : rest;
  const Lanes later = taken_first ? rest : taken;
  const MicroOp* const later_pc = taken_first ? otherwise : to;
  tell_branch(run, op, now, later);
  if (later_pc == meet) {
    join->arrived |= later;
  } else {
    run.warp->add_group(later, later_pc, run.frame, join);
  }
  run.pc = taken_first ? to : otherwise;
  run.mask = run.group->mask = now;
  run.group->ran = 0;
}

}  // namespace

void do_join(Run& run, const MicroOp& op) {
  ++run.budget;  // no instruction of the program
  while (true) {
    Join* const join = run.group->join;
    if (join == nullptr || join->at != &op || join->frame != run.frame) return;
    join->arrived |= run.mask;
    run.count_instructions();
    if (join->arrived != join->expected) {
      run.warp->drop_group(*run.group);
      run.group = nullptr;
      run.leave();
      return;
    }
    run.mask = run.group->mask = join->arrived;
    run.group->join = join->parent;
    run.group->ran = 0;
    run.warp->drop_join(join);
    if (run.machine->sink != nullptr) {
      run.machine->sink->step(run.step(gpu::StepKind::kReconverge, op, run.mask));
    }
  }
}

void do_jump(Run& run, const MicroOp& op) {
  if (run.active == run.mask) {
    run.pc = op_at(run, op.target);
    return;
  }
  part(run, op, run.active, op_at(run, op.target), run.pc, op_at(run, op.reconverge));
}

void do_branch(Run& run, const MicroOp& op) {
  if (run.active == run.mask) {
    run.pc = op_at(run, op.target);
    return;
  }
  part(run, op, run.active, op_at(run, op.target), run.pc, op_at(run, op.reconverge));
}

// Parts off those who go elsewhere than the first lane until nobody does.
void do_branch_table(Run& run, const MicroOp& op) {
  const auto& targets = *static_cast<const std::vector<std::uint32_t>*>(op.extra);
  const std::uint32_t* const index = run.at<std::uint32_t>(op.refs[0]);
  Lanes active = run.active;
  if (active != run.mask) {  // guarded: the others go on behind it
    const MicroOp* const next = run.pc;
    Join* const join = join_for(run, op_at(run, op.reconverge));
    run.count_instructions();
    const Lanes rest = run.mask & ~active;
    tell_branch(run, op, active, rest);
    if (next == join->at) {
      join->arrived |= rest;
    } else {
      run.warp->add_group(rest, next, run.frame, join);
    }
    run.mask = run.group->mask = active;
  }
  while (true) {
    const std::uint32_t which = index[first(active)];
    if (which >= targets.size()) {
      run.fault(FaultKind::kTrap, op, first(active), 0, 0, false,
                "brx.idx with an index outside its table");
      return;
    }
    Lanes same = 0;
    for_each_lane(active, [&](unsigned lane) {
      if (index[lane] < targets.size() && targets[index[lane]] == targets[which]) {
        same |= 1U << lane;
      }
    });
    if (same == active) {
      run.pc = op_at(run, targets[which]);
      return;
    }
    Join* const join = join_for(run, op_at(run, op.reconverge));
    run.count_instructions();
    const MicroOp* const to = op_at(run, targets[which]);
    tell_branch(run, op, active & ~same, same);
    if (to == join->at) {
      join->arrived |= same;
    } else {
      run.warp->add_group(same, to, run.frame, join);
    }
    active &= ~same;
    run.mask = run.group->mask = active;
  }
}

void do_exit(Run& run, const MicroOp& op) {
  run.worker->exit_lanes(run, run.active, op);
}

void do_trap(Run& run, const MicroOp& op) {
  run.fault(FaultKind::kTrap, op, first(run.active), 0, 0, false, "trap");
}

void do_nothing(Run& run, const MicroOp& op) {
  (void)run;
  (void)op;
}

void do_nanosleep(Run& run, const MicroOp& op) {
  (void)op;
  run.spins += 4;
  if (run.spins >= kSpinsBeforeYield) run.leave();
}

}  // namespace redflag::cuda
