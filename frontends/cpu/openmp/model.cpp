#include "frontends/cpu/openmp/model.h"

#include "frontends/cpu/openmp/depend.h"

namespace redflag::openmp {

namespace {

constinit thread_local Worker this_worker;

// The team forked last, and whether unrelated tasks have been seen to fork (see fork).
constinit SpinLock forks_lock;
constinit Team* last_forked = nullptr;
constinit bool unrelated_forkers = false;

// Does all that was done in `team` happen before the present step of `task`? A team that joined is
// known to its forker, which is known to the forker of its own team once that joined; and what an
// ancestor knew when it forked the team of `task` is known to `task`.
bool knows(const Task& task, const Team* team) {
  for (; team && team->joined.load(std::memory_order_acquire); team = team->forker->team) {
    for (const Task* t = &task; t; t = t->implicit && t->team ? t->team->forker : nullptr) {
      if (t == team->forker) return true;
    }
  }
  return false;
}

// Everybody who waits for the task to be complete.
void release_to_waiting(rt::Thread& t, Task& task) {
  if (task.depends) rt::release(t, task.done.key());
  if (!task.fiber) return;  // its parent did all this itself
  if (task.team) rt::release(t, task.team->barrier[task.round & 1].key());
  if (!task.parent->finished.load(std::memory_order_relaxed)) {
    rt::release(t, task.parent->children.key());
  }
  if (task.group) rt::release(t, task.group->done.key());
}

void leave_body(Task& task) {
  for (void* address : task.exclusive) {
    rt::lock_released(*task.thread, address, rt::LockMode::kExclusive);
  }
  release_to_waiting(*task.thread, task);
}

void end_pattern(rt::Thread& t, Task* pattern) {
  if (pattern->fiber) rt::fiber_destroyed(t, pattern->thread);
  release(pattern);
}

Task* new_task(rt::Thread* thread, Team* team) {
  Task* task = make<Task>();
  task->thread = thread;
  task->team = team;
  if (team) retain(*team);
  return task;
}

Task* new_child(Task& parent, rt::Thread* fiber) {
  Task* task = new_task(fiber ? fiber : parent.thread, parent.team);
  retain(parent);
  task->parent = &parent;
  task->group = parent.group;
  task->round = parent.round;
  task->final = parent.final;
  task->fiber = fiber != nullptr;
  return task;
}

}  // namespace

Worker& worker() {
  return this_worker;
}

Task* current_task() {
  Worker& w = this_worker;
  if (w.task) return w.task;
  rt::Thread* self = rt::self();
  if (!self) return nullptr;
  if (!w.initial) {
    w.initial = new_task(self, nullptr);
    w.initial->started = true;
  }
  return w.task = w.initial;
}

void retain(Task& task) {
  task.references.fetch_add(1, std::memory_order_relaxed);
}
void retain(Team& team) {
  team.references.fetch_add(1, std::memory_order_relaxed);
}

void release(Task* task) {
  while (task && task->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    for (Task* one : task->predecessors) release(one);
    if (Dependences* table = task->dependences) {
      table->~Dependences();
      give(table, sizeof(Dependences));
    }
    Task* parent = task->parent;
    Team* team = task->team;
    task->~Task();
    rt::memory_replaced(task, sizeof(Task));  // the keys in it are no more
    give(task, sizeof(Task));
    if (team) release(team);
    task = parent;
  }
}

void release(Team* team) {
  if (team->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Task* forker = team->forker;
  team->~Team();
  rt::memory_replaced(team, sizeof(Team));
  give(team, sizeof(Team));
  release(forker);
}

// --- Regions --------------------------------------------------------------------------------------

Team* fork(Task& forker) {
  Team* team = make<Team>();
  retain(forker);
  team->forker = &forker;
  Team* before;
  bool need_seed;
  {
    Holding holding(forks_lock);
    before = last_forked;
    retain(*team);
    last_forked = team;
    // As long as every fork knows the region before it, so does it know what any worker did.
    if (before && !knows(forker, before)) unrelated_forkers = true;
    need_seed = unrelated_forkers;
  }
  if (before) release(before);
  if (need_seed) team->seed = rt::fiber_created(*forker.thread);
  rt::release_store(*forker.thread, team->fork.key());
  return team;
}

void join(Team& team) {
  rt::Thread& t = *team.forker->thread;
  rt::acquire(t, team.join.key());
  rt::acquire(t, team.barrier[0].key());
  rt::acquire(t, team.barrier[1].key());
  team.joined.store(true, std::memory_order_release);
  if (team.seed) rt::fiber_destroyed(t, team.seed);
  team.seed = nullptr;
  for (Task* pattern : team.patterns) end_pattern(t, pattern);
  team.patterns.reset();
  release(&team);
}

Task* begin_implicit(Team& team, unsigned threads, const void* frame) {
  Worker& w = this_worker;
  team.threads.store(threads, std::memory_order_relaxed);
  rt::Thread* self = rt::self();
  if (!self) return nullptr;
  rt::Thread* thread = self;
  bool fiber = false;
  if (self != team.forker->thread) {
    if (team.seed && w.last && !knows(*team.forker, w.last)) {
      Holding holding(team.seed_lock);
      thread = rt::fiber_created(*team.seed);
      fiber = true;
    }
    if (w.last) release(w.last);
    retain(team);
    w.last = &team;
    if (fiber) {
      w.home = self;
      rt::fiber_switched(*self, thread, false);
      w.stack.forget_below(frame);
    }
    rt::acquire(*thread, team.fork.key());
  }
  Task* task = new_task(thread, &team);
  task->implicit = true;
  task->started = true;
  task->fiber = fiber;
  w.task = task;
  w.clean = false;
  return task;
}

void arrive(Task& implicit) {
  implicit.waiting = true;
  rt::release(*implicit.thread, implicit.team->join.key());
}

void end_implicit(Task& implicit, const void* frame) {
  Worker& w = this_worker;
  implicit.finished.store(true, std::memory_order_relaxed);
  if (implicit.fiber) {
    rt::Thread* fiber = implicit.thread;
    rt::fiber_switched(*fiber, w.home, false);
    w.stack.forget_below(frame);
    rt::fiber_destroyed(*w.home, fiber);
    w.home = nullptr;
  }
  release(&implicit);
}

// --- Barriers --------------------------------------------------------------------------------------

void enter_barrier(Task& task) {
  task.waiting = true;
  if (task.team) rt::release(*task.thread, task.team->barrier[task.round & 1].key());
}

void exit_barrier(Task& task) {
  if (task.team) rt::acquire(*task.thread, task.team->barrier[task.round & 1].key());
  ++task.round;
  if (task.dependences) task.dependences->forget();
  end_wait(task);
}

void begin_combining(Task& task) {
  if (task.team) rt::acquire(*task.thread, task.team->barrier[task.round & 1].key());
}

void end_combining(Task& task) {
  if (task.team) rt::release(*task.thread, task.team->barrier[task.round & 1].key());
}

// --- Tasks ----------------------------------------------------------------------------------------

Task* create_task(Task& parent, Deferral deferral) {
  const bool included = deferral == Deferral::kIncluded || parent.final || !parent.team ||
                        parent.team->threads.load(std::memory_order_relaxed) == 1;
  return new_child(parent, included ? nullptr : rt::fiber_created(*parent.thread));
}

Task* create_late(Task& like) {
  if (!like.fiber) return new_child(*like.parent, nullptr);
  rt::Thread* fiber;
  {
    Holding holding(like.team->seed_lock);
    fiber = rt::fiber_created(*like.thread);
  }
  Task* task = new_child(*like.parent, fiber);
  task->group = like.group;
  task->round = like.round;
  task->final = like.final;
  if (like.copied) rt::acquire(*fiber, like.creation.key());
  return task;
}

void data_copied(Task& task) {
  if (!task.fiber) return;
  task.copied = true;
  rt::release(*task.parent->thread, task.creation.key());
}

void forget_pattern(Task& pattern, bool later) {
  if (!later || !pattern.team) return end_pattern(*pattern.parent->thread, &pattern);
  Holding holding(pattern.team->seed_lock);
  pattern.team->patterns.push(&pattern);
}

void switch_task(Task& next, const void* frame) {
  Worker& w = this_worker;
  rt::Thread* self = rt::self();
  if (self && self != next.thread) {
    rt::fiber_switched(*self, next.thread, false);
    if (!w.clean) w.stack.forget_below(frame);
  }
  w.clean = next.waiting;
  w.task = &next;
}

void predecessors_done(Task& task) {
  for (Task* one : task.predecessors) {
    rt::acquire(*task.thread, one->done.key());
    release(one);
  }
  task.predecessors.clear();
}

void start_task(Task& task, const void* frame) {
  switch_task(task, frame);
  if (task.started) return;
  task.started = true;
  if (task.copied) rt::acquire(*task.thread, task.creation.key());
  predecessors_done(task);
  for (void* address : task.exclusive) {
    rt::lock_acquired(*task.thread, address, rt::LockMode::kExclusive);
  }
}

void finish_task(Task& task, Task& next, const void* frame) {
  if (!task.finished.load(std::memory_order_relaxed)) leave_body(task);
  task.finished.store(true, std::memory_order_relaxed);
  switch_task(next, frame);
  if (task.fiber) rt::fiber_destroyed(*next.thread, task.thread);
  release(&task);
}

void suspend_task(Task& task, Task& next, const void* frame) {
  retain(task);  // for whoever fulfils the event
  finish_task(task, next, frame);
}

void fulfilled(Task& task) {
  if (rt::Thread* self = rt::self()) release_to_waiting(*self, task);
}

void begin_wait(Task& task) {
  task.waiting = true;
}

void end_wait(Task& task) {
  task.waiting = false;
  this_worker.clean = false;
}

void children_done(Task& task) {
  rt::acquire(*task.thread, task.children.key());
  if (task.dependences) task.dependences->forget();
}

void begin_group(Task& task) {
  TaskGroup* group = make<TaskGroup>();
  group->outer = task.group;
  task.group = group;
}

void end_group(Task& task) {
  TaskGroup* group = task.group;
  if (!group) return;
  rt::acquire(*task.thread, group->done.key());
  task.group = group->outer;
  group->~TaskGroup();
  rt::memory_replaced(group, sizeof(TaskGroup));
  give(group, sizeof(TaskGroup));
}

}  // namespace redflag::openmp
