// Calls: frames, parameters, returns, and the stack of local memory.
//
// Lanes that call together share a frame; lanes of one warp that call apart have frames of their
// own. Parameters are bytes of each lane in the caller's frame and are copied into the callee's, as
// are return values backwards.
#include <cstring>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {
namespace {

std::byte* bytes_of_slot(std::byte* registers, const Slot& slot, unsigned lane) {
  return registers + slot.ref + (std::size_t{slot.bytes} + 15) / 16 * 16 * lane;
}

std::uint64_t word(const std::byte* at, unsigned bits, unsigned lane) {
  std::uint64_t value = 0;
  if (bits == 1) {
    std::uint32_t all = 0;
    std::memcpy(&all, at, 4);
    return all >> lane & 1;
  }
  const std::size_t bytes = bits <= 32 ? 4 : 8;
  std::memcpy(&value, at + lane * bytes, bytes);
  return value;
}

void set_word(std::byte* at, unsigned bits, unsigned lane, std::uint64_t value) {
  if (bits == 1) {
    std::uint32_t all = 0;
    std::memcpy(&all, at, 4);
    all = (all & ~(1U << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
    std::memcpy(at, &all, 4);
    return;
  }
  const std::size_t bytes = bits <= 32 ? 4 : 8;
  std::memcpy(at + lane * bytes, &value, bytes);
}

// `pool`: where a constant argument lies.
void copy_slot(std::byte* from_frame, const std::byte* pool, const Slot& from, std::byte* to_frame,
               const Slot& to, Lanes lanes) {
  const std::byte* const from_register = (from.ref & 3) == static_cast<Ref>(Place::kPool)
                                             ? pool + (from.ref & ~Ref{3})
                                             : from_frame + from.ref;
  if (!from.in_register && !to.in_register) {
    const std::uint32_t bytes = std::min(from.bytes, to.bytes);
    for_each_lane(lanes, [&](unsigned lane) {
      std::memcpy(bytes_of_slot(to_frame, to, lane), bytes_of_slot(from_frame, from, lane), bytes);
    });
    return;
  }
  for_each_lane(lanes, [&](unsigned lane) {
    std::uint64_t value = 0;
    if (from.in_register) {
      value = word(from_register, from.bits, lane);
    } else {
      std::memcpy(&value, bytes_of_slot(from_frame, from, lane),
                  std::min<std::size_t>(from.bytes, 8));
    }
    if (to.in_register) {
      set_word(to_frame + to.ref, to.bits, lane, value);
    } else {
      std::memcpy(bytes_of_slot(to_frame, to, lane), &value, std::min<std::size_t>(to.bytes, 8));
    }
  });
}

void enter_callee(Run& run, const MicroOp& op, const CallOp& call, const Code& callee) {
  if (run.frame->depth >= kMostDepth || run.frame->local_top + callee.local_bytes > kLocalLimit) {
    run.fault(FaultKind::kStackOverflow, op, first(run.active), 0, 0, false,
              "calls are nested too deeply for the stack");
    return;
  }
  Activation* const frame = run.worker->new_frame(callee, run.mask);
  frame->caller = run.frame;
  frame->return_to = run.pc;
  frame->call = &call;
  frame->depth = run.frame->depth + 1;
  frame->local_base = run.frame->local_top;
  frame->local_top = frame->local_base + callee.local_bytes;
  const std::size_t given = std::min(call.arguments.size(), callee.parameters.size());
  for (std::size_t i = 0; i < given; ++i) {
    copy_slot(run.places[0], run.places[1], call.arguments[i], frame->registers(),
              callee.parameters[i], run.mask);
  }
  run.enter(frame);
  run.pc = callee.ops.data();
}

// Those who do not call wait behind the call.
void wait_behind(Run& run, const MicroOp& op, Lanes rest, const MicroOp* resume) {
  run.count_instructions();
  const MicroOp* const meet = run.frame->code->ops.data() + op.reconverge;
  Join* join = run.group->join;
  if (join == nullptr || join->at != meet || join->frame != run.frame) {
    join = run.warp->add_join();
    join->at = meet;
    join->frame = run.frame;
    join->expected = run.mask;
    join->parent = run.group->join;
    run.group->join = join;
  }
  if (run.machine->sink != nullptr) {
    gpu::Step step = run.step(gpu::StepKind::kBranch, op, run.mask & ~rest);
    step.other = rest;
    run.machine->sink->step(step);
  }
  if (resume == meet) {
    join->arrived |= rest;
  } else {
    run.warp->add_group(rest, resume, run.frame, join);
  }
  run.mask = run.group->mask = run.mask & ~rest;
  run.active &= run.mask;
}

}  // namespace

void do_call(Run& run, const MicroOp& op) {
  const CallOp& call = *static_cast<const CallOp*>(op.extra);
  if (run.active != run.mask) wait_behind(run, op, run.mask & ~run.active, run.pc);
  if (call.callee != nullptr) {
    enter_callee(run, op, call, *call.callee);
    return;
  }
  // Indirect: lanes that call something else than the first one repeat the call by themselves.
  const std::uint64_t* const target = run.at<std::uint64_t>(call.target);
  const std::uint64_t which = target[first(run.active)];
  Lanes others = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    if (target[lane] != which) others |= 1U << lane;
  });
  if (others != 0) wait_behind(run, op, others, &op);
  const Code* const callee = run.machine->program->find(which);
  if (callee == nullptr) {
    run.fault(FaultKind::kTrap, op, first(run.active), which, 0, false,
              "a call through a pointer that is not the address of a function");
    return;
  }
  enter_callee(run, op, call, *callee);
}

void do_return(Run& run, const MicroOp& op) {
  Activation* const frame = run.frame;
  if (frame->caller == nullptr) {
    run.worker->exit_lanes(run, run.mask, op);
    return;
  }
  ++run.budget;  // the program's `ret` was counted where it stands
  Activation* const caller = frame->caller;
  const std::vector<Slot>& returns = frame->code->returns;
  const std::size_t given = std::min(returns.size(), frame->call->returns.size());
  for (std::size_t i = 0; i < given; ++i) {
    copy_slot(frame->registers(), frame->code->pool, returns[i], caller->registers(),
              frame->call->returns[i], run.mask);
  }
  run.pc = frame->return_to;
  frame->live &= ~run.mask;
  if (frame->live == 0) run.worker->drop_frame(frame);
  run.enter(caller);
}

void do_alloca(Run& run, const MicroOp& op) {
  std::uint64_t most = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    most = std::max(most, op.shift == 64 ? run.at<std::uint64_t>(op.refs[1])[lane]
                                         : run.at<std::uint32_t>(op.refs[1])[lane]);
  });
  const std::uint64_t align = std::max<std::uint32_t>(op.constant, 16);
  const std::uint64_t begin = (run.frame->local_top + align - 1) / align * align;
  if (most > kLocalLimit || begin + most > kLocalLimit) {
    run.fault(FaultKind::kStackOverflow, op, first(run.active), 0, 0, false,
              "alloca of more bytes than the stack has left");
    return;
  }
  run.frame->local_top = static_cast<std::uint32_t>((begin + most + 15) / 16 * 16);
  for_each_lane(run.active, [&](unsigned lane) {
    if (op.shift == 64) {
      run.at<std::uint64_t>(op.refs[0])[lane] = begin;
    } else {
      run.at<std::uint32_t>(op.refs[0])[lane] = static_cast<std::uint32_t>(begin);
    }
  });
}

void do_stack_save(Run& run, const MicroOp& op) {
  for_each_lane(run.active, [&](unsigned lane) {
    if (op.shift == 64) {
      run.at<std::uint64_t>(op.refs[0])[lane] = run.frame->local_top;
    } else {
      run.at<std::uint32_t>(op.refs[0])[lane] = run.frame->local_top;
    }
  });
}

void do_stack_restore(Run& run, const MicroOp& op) {
  // Diverged lanes share the frame's stack: it shrinks only when all of them restore it.
  if (run.active != run.frame->live) return;
  std::uint64_t most = 0;
  for_each_lane(run.active, [&](unsigned lane) {
    most = std::max(most, op.shift == 64 ? run.at<std::uint64_t>(op.refs[0])[lane]
                                         : run.at<std::uint32_t>(op.refs[0])[lane]);
  });
  if (most <= run.frame->local_top) run.frame->local_top = static_cast<std::uint32_t>(most);
}

}  // namespace redflag::cuda
