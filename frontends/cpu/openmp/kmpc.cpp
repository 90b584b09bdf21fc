// What OMPT does not tell of clang's libomp: the compiler's own calls into it, interposed.
//
//   ordered, doacross     the moment before giving on, not after (as for locks, locks.cpp)
//   reductions            combined under a lock that OMPT does not mention
//   flush                 a fence
//   tasks' memory         blocks that libomp hands out again: the program writes private variables
//                         into them before OMPT tells of the task
#include <cstddef>
#include <cstdint>

#include "frontends/cpu/openmp/doacross.h"
#include "frontends/cpu/openmp/library.h"
#include "frontends/cpu/openmp/model.h"

using redflag::openmp::Dimension;
using redflag::openmp::Task;
using redflag::openmp::TaskGroup;
namespace openmp = redflag::openmp;
namespace rt = redflag::rt;

extern "C" void __tsan_atomic_thread_fence(int order);

namespace {

constexpr int kSequentiallyConsistent = 5;

// The task that this thread was given last, for TASKLOOP.
constinit thread_local void* newest_task = nullptr;
constinit thread_local std::size_t newest_task_size = 0;

Task* watched() {
  return openmp::ompt_in_use() ? openmp::worker().task : nullptr;
}

}  // namespace

// --- ordered --------------------------------------------------------------------------------------
OPENMP_EXPORT void __kmpc_ordered(void* place, int thread) {
  OPENMP_REAL(__kmpc_ordered)(place, thread);
  Task* task = watched();
  if (task && task->team) rt::acquire(*task->thread, task->team->ordered.key());
}
OPENMP_EXPORT void __kmpc_end_ordered(void* place, int thread) {
  Task* task = watched();
  if (task && task->team) rt::release_store(*task->thread, task->team->ordered.key());
  OPENMP_REAL(__kmpc_end_ordered)(place, thread);
}

// --- doacross ---------------------------------------------------------------------------------------
OPENMP_EXPORT void __kmpc_doacross_init(void* place, int thread, int dimensions,
                                        const Dimension* dimension) {
  if (Task* task = watched()) {
    openmp::begin_doacross(*task, static_cast<unsigned>(dimensions), dimension);
  }
  OPENMP_REAL(__kmpc_doacross_init)(place, thread, dimensions, dimension);
}
OPENMP_EXPORT void __kmpc_doacross_post(void* place, int thread, const long long* iteration) {
  if (Task* task = watched()) openmp::post_doacross(*task, iteration);
  OPENMP_REAL(__kmpc_doacross_post)(place, thread, iteration);
}
OPENMP_EXPORT void __kmpc_doacross_wait(void* place, int thread, const long long* iteration) {
  OPENMP_REAL(__kmpc_doacross_wait)(place, thread, iteration);
  if (Task* task = watched()) openmp::waited_doacross(*task, iteration);
}
OPENMP_EXPORT void __kmpc_doacross_fini(void* place, int thread) {
  OPENMP_REAL(__kmpc_doacross_fini)(place, thread);
  if (Task* task = watched()) openmp::end_doacross(*task);
}

// --- Reductions -------------------------------------------------------------------------------------
// 1: the caller combines, alone, until it calls the end function. 2: it combines with atomics.
#define REDUCE_FUNCTIONS(begin, end)                                                             \
  OPENMP_EXPORT int begin(void* place, int thread, int count, std::size_t size, void* data,      \
                          void (*combine)(void*, void*), void* lock) {                           \
    const int way = OPENMP_REAL(begin)(place, thread, count, size, data, combine, lock);         \
    Task* task = watched();                                                                      \
    if (task && way == 1) rt::acquire(*task->thread, reinterpret_cast<rt::SyncKey>(lock));       \
    return way;                                                                                  \
  }                                                                                              \
  OPENMP_EXPORT void end(void* place, int thread, void* lock) {                                  \
    if (Task* task = watched()) rt::release(*task->thread, reinterpret_cast<rt::SyncKey>(lock)); \
    OPENMP_REAL(end)(place, thread, lock);                                                       \
  }
REDUCE_FUNCTIONS(__kmpc_reduce, __kmpc_end_reduce)
REDUCE_FUNCTIONS(__kmpc_reduce_nowait, __kmpc_end_reduce_nowait)

// --- flush ------------------------------------------------------------------------------------------
OPENMP_EXPORT void __kmpc_flush(void* place) {
  __tsan_atomic_thread_fence(kSequentiallyConsistent);
  OPENMP_REAL(__kmpc_flush)(place);
}

// --- The memory of tasks ------------------------------------------------------------------------------
OPENMP_EXPORT void* __kmpc_omp_task_alloc(void* place, int thread, int flags, std::size_t size,
                                          std::size_t shared_size, void* entry) {
  void* task = OPENMP_REAL(__kmpc_omp_task_alloc)(place, thread, flags, size, shared_size, entry);
  // The task, private variables, and after them the pointers to shared ones.
  newest_task = task;
  newest_task_size = ((size + 7) & ~std::size_t{7}) + shared_size;
  if (task && watched()) rt::memory_replaced(task, newest_task_size);
  return task;
}

// The tasks of a taskloop are copied from a pattern, which then goes without having run.
#define TASKLOOP(name, parameter, argument)                                                        \
  OPENMP_EXPORT void name(void* place, int thread, void* pattern, int if_value,                    \
                          std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,           \
                          int no_group, int schedule, std::uint64_t grain parameter, void* copy) { \
    if (pattern == newest_task && watched()) rt::memory_replaced(pattern, newest_task_size);       \
    OPENMP_REAL(name)                                                                              \
    (place, thread, pattern, if_value, lower, upper, step, no_group, schedule, grain argument,     \
     copy);                                                                                        \
  }
#define COMMA_PARAMETER , int modifier
#define COMMA_ARGUMENT , modifier
TASKLOOP(__kmpc_taskloop, , )
TASKLOOP(__kmpc_taskloop_5, COMMA_PARAMETER, COMMA_ARGUMENT)

// --- Task reductions ----------------------------------------------------------------------------------
namespace {

struct ReductionInput {  // what the compiler passes, one for each variable
  void* shared;
  void* original;
  std::size_t size;
  void* functions[3];
  unsigned flags;
};
static_assert(sizeof(ReductionInput) == 56);

void note_reductions(int count, const void* data) {
  Task* task = watched();
  if (!task || !task->group) return;
  const auto* input = static_cast<const ReductionInput*>(data);
  for (int i = 0; i < count; ++i) {
    task->group->reductions.push({input[i].shared, input[i].size});
  }
}

}  // namespace

OPENMP_EXPORT void* __kmpc_taskred_init(int thread, int count, void* data) {
  void* group = OPENMP_REAL(__kmpc_taskred_init)(thread, count, data);
  note_reductions(count, data);
  return group;
}
OPENMP_EXPORT void* __kmpc_taskred_modifier_init(void* place, int thread, int worksharing,
                                                 int count, void* data) {
  void* group = OPENMP_REAL(__kmpc_taskred_modifier_init)(place, thread, worksharing, count, data);
  note_reductions(count, data);
  return group;
}

OPENMP_EXPORT void* __kmpc_task_reduction_get_th_data(int thread, void* group, void* variable) {
  void* copy = OPENMP_REAL(__kmpc_task_reduction_get_th_data)(thread, group, variable);
  Task* task = watched();
  if (!task || task->implicit || !copy || copy == variable) return copy;
  std::size_t size =
      64 - reinterpret_cast<std::uintptr_t>(copy) % 64;  // a cache line is one thread's
  for (TaskGroup* at = task->group; at; at = at->outer) {
    for (const auto& reduction : at->reductions) {
      if (reduction.variable == variable) size = reduction.size;
    }
  }
  rt::memory_replaced(copy, size);
  return copy;
}
