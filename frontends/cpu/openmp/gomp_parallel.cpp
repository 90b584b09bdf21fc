// Parallel regions of gcc's libgomp.
//
// The compiler passes a function and its data; libgomp calls the function on every thread of the
// team. Ours takes its place and knows the team. libgomp's last barrier comes after the function
// has returned and may still run tasks on this thread, so an implicit task stays the thread's present
// one until its next region, or until the forking thread is through the join.
#include <pthread.h>

#include "frontends/cpu/openmp/library.h"
#include "frontends/cpu/openmp/model.h"

using redflag::openmp::Task;
using redflag::openmp::Team;
using redflag::openmp::Worker;

extern "C" int omp_get_thread_num();
extern "C" int omp_get_num_threads();

namespace {

using Body = void (*)(void*);

struct Region {
  void* first;  // what GOMP_parallel_reductions looks for at the beginning of the data
  Team* team;
  Body body;
  void* data;
  Task* forkers_own;  // the implicit task that the forking thread runs
};

// A thread of the pool ends: it no longer holds on to its last region.
void leave(void* argument) {
  Worker& w = *static_cast<Worker*>(argument);
  if (w.task && w.task->implicit)
    redflag::openmp::end_implicit(*w.task, __builtin_frame_address(0));
  if (w.last) redflag::openmp::release(w.last);
  w.task = nullptr;
  w.last = nullptr;
}

void leave_at_exit(Worker& w) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_key_t key;
  pthread_once(&once, [] { pthread_key_create(&key, leave); });
  if (!w.last) pthread_setspecific(key, &w);
}

void run_implicit(void* argument) {
  Region& region = *static_cast<Region*>(argument);
  // Read first: the forker's stack frame is gone once every thread has arrived.
  const Body body = region.body;
  void* const data = region.data;
  Worker& w = redflag::openmp::worker();
  const int index = OPENMP_REAL(omp_get_thread_num)();
  const int threads = OPENMP_REAL(omp_get_num_threads)();
  if (index != 0) {
    leave_at_exit(w);
    if (w.task && w.task->implicit)
      redflag::openmp::end_implicit(*w.task, __builtin_frame_address(0));
    w.task = nullptr;
  }
  Task* task = redflag::openmp::begin_implicit(*region.team, static_cast<unsigned>(threads),
                                               __builtin_frame_address(0));
  if (index == 0) region.forkers_own = task;
  body(data);
  if (task) redflag::openmp::arrive(*task);
}

template <class Function, class... Rest>
auto run_region(Function real, bool reductions, Body body, void* data, Rest... rest) {
  Task* forker = redflag::openmp::ompt_in_use() ? nullptr : redflag::openmp::current_task();
  if (!forker) return real(body, data, rest...);
  Region region{reductions ? *static_cast<void**>(data) : nullptr, redflag::openmp::fork(*forker),
                body, data, nullptr};
  struct Join {
    Region& region;
    Task* forker;
    ~Join() {
      if (region.forkers_own)
        redflag::openmp::end_implicit(*region.forkers_own, __builtin_frame_address(0));
      redflag::openmp::switch_task(*forker, __builtin_frame_address(0));
      redflag::openmp::join(*region.team);
    }
  } join{region, forker};
  return real(&run_implicit, &region, rest...);
}

}  // namespace

// name, the parameters after function and data, the arguments
#define REGION(name, parameters, ...)                              \
  OPENMP_EXPORT void name parameters {                             \
    run_region(OPENMP_REAL(name), false, body, data, __VA_ARGS__); \
  }
#define LOOP_PARAMETERS                                                                  \
  (Body body, void* data, unsigned threads, long start, long end, long step, long chunk, \
   unsigned flags)
#define RUNTIME_LOOP_PARAMETERS \
  (Body body, void* data, unsigned threads, long start, long end, long step, unsigned flags)

REGION(GOMP_parallel, (Body body, void* data, unsigned threads, unsigned flags), threads, flags)
REGION(GOMP_parallel_sections,
       (Body body, void* data, unsigned threads, unsigned count, unsigned flags), threads, count,
       flags)
REGION(GOMP_parallel_loop_static, LOOP_PARAMETERS, threads, start, end, step, chunk, flags)
REGION(GOMP_parallel_loop_dynamic, LOOP_PARAMETERS, threads, start, end, step, chunk, flags)
REGION(GOMP_parallel_loop_guided, LOOP_PARAMETERS, threads, start, end, step, chunk, flags)
REGION(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP_PARAMETERS, threads, start, end, step, chunk,
       flags)
REGION(GOMP_parallel_loop_nonmonotonic_guided, LOOP_PARAMETERS, threads, start, end, step, chunk,
       flags)
REGION(GOMP_parallel_loop_runtime, RUNTIME_LOOP_PARAMETERS, threads, start, end, step, flags)
REGION(GOMP_parallel_loop_nonmonotonic_runtime, RUNTIME_LOOP_PARAMETERS, threads, start, end, step,
       flags)
REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime, RUNTIME_LOOP_PARAMETERS, threads, start, end,
       step, flags)

OPENMP_EXPORT unsigned GOMP_parallel_reductions(Body body, void* data, unsigned threads,
                                                unsigned flags) {
  return run_region(OPENMP_REAL(GOMP_parallel_reductions), true, body, data, threads, flags);
}
