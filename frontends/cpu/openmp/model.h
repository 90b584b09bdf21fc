// What OpenMP orders, in the words of the OpenMP specification: teams, tasks, groups.
//
// Both ways to watch a program end here: ompt.cpp (clang's libomp tells its events) and gomp_*.cpp
// (gcc's libgomp is interposed). The rules are then the same:
//
//   region     what the forking task did happens before every implicit task of the team; what they
//              did happens before the forking task goes on (join)
//   barrier    every enter happens before every exit of the same round, and so does every explicit
//              task that had to be finished by it
//   task       what the creator did happens before the task; the task before the taskwait of its
//              parent, the end of its taskgroup, the next barrier, and tasks that depend on it
//
// and nothing else. An explicit task is a logical thread of its own (a fiber), so that two tasks
// run by one worker still race when no rule orders them. Tasks that their parent waits for at once
// (undeferred, included, or in a team of one) run as their parent. The implicit task of the team's
// first thread is the forking task; those of the others are the worker itself as long as the
// worker's past happens before the fork, which it does unless unrelated forkers share workers. Then
// they are fibers, too.
//
// A function that ends or starts a task runs on the system thread that does so. Its `frame` is where
// the program's frames of that task begin: the library's lie above, and everything below is forgotten
// (stack.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "frontends/cpu/openmp/pool.h"
#include "frontends/cpu/openmp/stack.h"
#include "frontends/cpu/rt/runtime.h"

namespace redflag::openmp {

struct Task;
struct Doacross;
class Dependences;

// A place that orders threads; its address is the key.
struct Key {
  char byte = 0;
  rt::SyncKey key() const { return reinterpret_cast<rt::SyncKey>(&byte); }
};

// One parallel region. Kept until its last task and the last worker that took part forget it.
struct Team {
  std::atomic<int> references{1};
  Task* forker = nullptr;            // counted
  std::atomic<unsigned> threads{1};  // known when the first implicit task begins
  std::atomic<bool> joined{false};
  rt::Thread* seed = nullptr;  // what the forker knew at the fork, as a fiber to make others from
  SpinLock seed_lock;
  List<Task*> patterns;  // of taskloops that did not wait; under seed_lock
  Key fork;
  Key barrier[2];  // by the parity of the round: nobody can be two rounds ahead
  Key join;
  Key ordered;
  SpinLock doacross_lock;
  Doacross* doacross = nullptr;  // the loops that some thread is in
};

// A variable that the tasks of a group reduce. Every thread has a private copy that all of its
// tasks add to, one after the other, without racing: each task finds it new memory.
struct Reduction {
  void* variable;
  std::size_t size;
};

struct TaskGroup {
  TaskGroup* outer = nullptr;
  Key done;
  List<Reduction> reductions;                    // libomp's
  const std::uintptr_t* registration = nullptr;  // libgomp's own record of them
};

struct Task {
  std::atomic<int> references{1};
  rt::Thread* thread = nullptr;
  Team* team = nullptr;    // counted; null outside parallel regions
  Task* parent = nullptr;  // counted; null for implicit tasks
  Team* region = nullptr;  // the one it forked and has not joined yet (ompt.cpp)
  TaskGroup* group = nullptr;
  unsigned round = 0;  // the barrier it enters next, or must be finished by
  bool implicit = false;
  bool fiber = false;  // `thread` is its own
  bool final = false;  // its children are included
  bool started = false;
  bool depends = false;  // siblings may wait for it
  bool waiting = false;  // inside the OpenMP library: runs no code of the program
  std::atomic<bool> finished{false};
  bool copied = false;  // its creator went on to copy its data; see `creation`
  Key creation;
  Key children;                        // what finished children did
  Key done;                            // what this task did, for those that depend on it
  List<Task*> predecessors;            // counted; acquired when it starts
  List<void*> exclusive;               // mutexinoutset: held like locks while it runs
  Dependences* dependences = nullptr;  // of its children
  const void* wait_frame = nullptr;    // where `waiting` began (ompt.cpp)
  const void* ompt_frame = nullptr;    // where libomp keeps its place on the stack (ompt.cpp)
  unsigned doacross_loops = 0;         // begun so far
  Doacross* doacross = nullptr;
};

// A system thread as OpenMP sees it.
struct Worker {
  Task* task = nullptr;        // what it runs
  Task* initial = nullptr;     // what it ran before any region
  Team* last = nullptr;        // counted; the last team it served as a worker
  rt::Thread* home = nullptr;  // its own thread, while an implicit task runs as a fiber
  Stack stack;
  bool clean = false;  // nothing of the program ran on the stack since it was forgotten
};
Worker& worker();

// The task the calling thread runs, made on first use; null where the runtime is not ready.
Task* current_task();

void retain(Task& task);
void release(Task* task);
void retain(Team& team);
void release(Team* team);

Team* fork(Task& forker);
void join(Team& team);  // by the forker, which no longer needs the team
// On every thread of the team, the forker's own included.
Task* begin_implicit(Team& team, unsigned threads, const void* frame);
// What an implicit task did happens before the join. libomp's final barrier has said so already.
void arrive(Task& implicit);
void end_implicit(Task& implicit, const void* frame);

void enter_barrier(Task& task);
void exit_barrier(Task& task);
// Code of the program that the library runs for a thread inside a barrier, to combine what the
// threads below it in a tree have brought: begin sees them, end shows the result further up.
void begin_combining(Task& task);
void end_combining(Task& task);

enum class Deferral : std::uint8_t { kDeferrable, kIncluded };
Task* create_task(Task& parent, Deferral deferral);
// As create_task, for a task that starts without having been seen when it was created; `like` was
// created there and never runs.
Task* create_late(Task& like);
// No more tasks will be made like it; with `later` some may still be on their way to their start.
void forget_pattern(Task& pattern, bool later);
// The creator has copied the task's data, after creating it; before anybody can start it.
void data_copied(Task& task);
void start_task(Task& task, const void* frame);               // and switches to it
void finish_task(Task& task, Task& next, const void* frame);  // and switches to `next`
// The task's body is over, but its completion waits for an event; then fulfilled() by anyone.
void suspend_task(Task& task, Task& next, const void* frame);
void fulfilled(Task& task);
void switch_task(Task& next, const void* frame);

// Around waiting in the library, where the thread may run other tasks.
void begin_wait(Task& task);
void end_wait(Task& task);
void children_done(Task& task);
void begin_group(Task& task);
void end_group(Task& task);

// What the depend clauses of a taskwait or of an included task wait for is done.
void predecessors_done(Task& task);

}  // namespace redflag::openmp
