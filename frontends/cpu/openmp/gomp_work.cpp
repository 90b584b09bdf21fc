// Worksharing of gcc's libgomp: barriers at the end of loops, sections and single; ordered; doacross.
//
// Handing out iterations orders nothing, so the many _start and _next functions are left alone but
// for those that begin a doacross loop or a task reduction.
#include <cstdarg>

#include "frontends/cpu/openmp/doacross.h"
#include "frontends/cpu/openmp/library.h"
#include "frontends/cpu/openmp/model.h"

using redflag::openmp::Dimension;
using redflag::openmp::kDimensions;
using redflag::openmp::Task;
namespace openmp = redflag::openmp;
namespace rt = redflag::rt;

namespace {

using Ull = unsigned long long;

// The task whose steps count: none where OMPT tells of them, or outside parallel regions.
Task* watched() {
  return openmp::ompt_in_use() ? nullptr : openmp::worker().task;
}

template <class Call>
void barrier(Call call) {
  Task* task = watched();
  if (task) openmp::enter_barrier(*task);
  call();
  if (task) openmp::exit_barrier(*task);
}

// Cancelled: this thread did not wait for the others and goes to the end of the region.
template <class Call>
bool cancellable_barrier(Call call) {
  Task* task = watched();
  if (task) openmp::enter_barrier(*task);
  const bool cancelled = call();
  if (task && cancelled) openmp::end_wait(*task);
  if (task && !cancelled) openmp::exit_barrier(*task);
  return cancelled;
}

void left_loop() {
  if (Task* task = watched()) openmp::end_doacross(*task);
}

void begun_reduction(const void* reductions) {
  Task* task = watched();
  if (task && reductions) openmp::begin_group(*task);
}

template <class Integer>
void begin_doacross(unsigned dimensions, const Integer* counts) {
  Task* task = watched();
  if (!task || dimensions > kDimensions) return;
  Dimension dimension[kDimensions];
  for (unsigned i = 0; i < dimensions; ++i) {
    dimension[i] = {0, static_cast<long long>(counts[i]) - 1, 1};
  }
  openmp::begin_doacross(*task, dimensions, dimension);
}

template <class Integer>
void post(const Integer* counts) {
  Task* task = watched();
  if (!task) return;
  long long iteration[kDimensions] = {};
  const unsigned dimensions = openmp::doacross_dimensions(*task);
  for (unsigned i = 0; i < dimensions; ++i) iteration[i] = static_cast<long long>(counts[i]);
  openmp::post_doacross(*task, iteration);
}

template <class Integer>
void waited(const Integer* at) {
  Task* task = watched();
  if (!task) return;
  long long iteration[kDimensions];
  for (unsigned i = 0; i < kDimensions; ++i) iteration[i] = static_cast<long long>(at[i]);
  openmp::waited_doacross(*task, iteration);
}

}  // namespace

OPENMP_EXPORT void GOMP_barrier() {
  barrier(OPENMP_REAL(GOMP_barrier));
}
OPENMP_EXPORT bool GOMP_barrier_cancel() {
  return cancellable_barrier(OPENMP_REAL(GOMP_barrier_cancel));
}

// --- The ends of loops and sections ---------------------------------------------------------------
OPENMP_EXPORT void GOMP_loop_end() {
  barrier(OPENMP_REAL(GOMP_loop_end));
  left_loop();
}
OPENMP_EXPORT bool GOMP_loop_end_cancel() {
  const bool cancelled = cancellable_barrier(OPENMP_REAL(GOMP_loop_end_cancel));
  left_loop();
  return cancelled;
}
OPENMP_EXPORT void GOMP_loop_end_nowait() {
  OPENMP_REAL(GOMP_loop_end_nowait)();
  left_loop();
}
OPENMP_EXPORT void GOMP_sections_end() {
  barrier(OPENMP_REAL(GOMP_sections_end));
}
OPENMP_EXPORT bool GOMP_sections_end_cancel() {
  return cancellable_barrier(OPENMP_REAL(GOMP_sections_end_cancel));
}

// --- single copyprivate: the others wait, in a barrier, for the data of the one ---------------------
OPENMP_EXPORT void* GOMP_single_copy_start() {
  Task* task = watched();
  if (task) openmp::enter_barrier(*task);
  void* data = OPENMP_REAL(GOMP_single_copy_start)();
  if (task && !data) openmp::end_wait(*task);  // it is us; GOMP_single_copy_end is the barrier
  if (task && data) openmp::exit_barrier(*task);
  return data;
}
OPENMP_EXPORT void GOMP_single_copy_end(void* data) {
  barrier([data] { OPENMP_REAL(GOMP_single_copy_end)(data); });
}

// --- ordered --------------------------------------------------------------------------------------
OPENMP_EXPORT void GOMP_ordered_start() {
  OPENMP_REAL(GOMP_ordered_start)();
  Task* task = watched();
  if (task && task->team) rt::acquire(*task->thread, task->team->ordered.key());
}
OPENMP_EXPORT void GOMP_ordered_end() {
  Task* task = watched();
  if (task && task->team) rt::release_store(*task->thread, task->team->ordered.key());
  OPENMP_REAL(GOMP_ordered_end)();
}

// --- doacross: the loop's beginning, by every schedule ---------------------------------------------
#define DOACROSS(name, Integer, chunk_parameter, chunk)                                         \
  OPENMP_EXPORT bool name(unsigned dimensions, Integer* counts chunk_parameter, Integer* first, \
                          Integer* last) {                                                      \
    begin_doacross(dimensions, counts);                                                         \
    return OPENMP_REAL(name)(dimensions, counts chunk, first, last);                            \
  }
#define COMMA_PARAMETER(Integer) , Integer size
#define COMMA_SIZE , size
DOACROSS(GOMP_loop_doacross_static_start, long, COMMA_PARAMETER(long), COMMA_SIZE)
DOACROSS(GOMP_loop_doacross_dynamic_start, long, COMMA_PARAMETER(long), COMMA_SIZE)
DOACROSS(GOMP_loop_doacross_guided_start, long, COMMA_PARAMETER(long), COMMA_SIZE)
DOACROSS(GOMP_loop_doacross_runtime_start, long, , )
DOACROSS(GOMP_loop_ull_doacross_static_start, Ull, COMMA_PARAMETER(Ull), COMMA_SIZE)
DOACROSS(GOMP_loop_ull_doacross_dynamic_start, Ull, COMMA_PARAMETER(Ull), COMMA_SIZE)
DOACROSS(GOMP_loop_ull_doacross_guided_start, Ull, COMMA_PARAMETER(Ull), COMMA_SIZE)
DOACROSS(GOMP_loop_ull_doacross_runtime_start, Ull, , )

OPENMP_EXPORT void GOMP_doacross_post(long* counts) {
  post(counts);
  OPENMP_REAL(GOMP_doacross_post)(counts);
}
OPENMP_EXPORT void GOMP_doacross_ull_post(Ull* counts) {
  post(counts);
  OPENMP_REAL(GOMP_doacross_ull_post)(counts);
}

// As many arguments as the loop has dimensions, which only the loop's beginning said. All that can
// be are passed on; reading too many reads the caller's stack frame, passing too many does nothing.
#define DOACROSS_WAIT(name, Integer)                                                         \
  OPENMP_EXPORT void name(Integer first, ...) {                                              \
    Integer a[kDimensions] = {first};                                                        \
    va_list rest;                                                                            \
    va_start(rest, first);                                                                   \
    for (unsigned i = 1; i < kDimensions; ++i) a[i] = va_arg(rest, Integer);                 \
    va_end(rest);                                                                            \
    OPENMP_REAL(name)                                                                        \
    (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], \
     a[14], a[15]);                                                                          \
    waited(a);                                                                               \
  }
static_assert(kDimensions == 16);
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, Ull)

// --- Beginnings with task reductions, which are task groups until the matching unregister -----------
OPENMP_EXPORT bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk,
                                   long* first, long* last, unsigned long* reductions,
                                   void** memory) {
  const bool some = OPENMP_REAL(GOMP_loop_start)(start, end, step, schedule, chunk, first, last,
                                                 reductions, memory);
  begun_reduction(reductions);
  return some;
}
OPENMP_EXPORT bool GOMP_loop_ordered_start(long start, long end, long step, long schedule,
                                           long chunk, long* first, long* last,
                                           unsigned long* reductions, void** memory) {
  const bool some = OPENMP_REAL(GOMP_loop_ordered_start)(start, end, step, schedule, chunk, first,
                                                         last, reductions, memory);
  begun_reduction(reductions);
  return some;
}
OPENMP_EXPORT bool GOMP_loop_doacross_start(unsigned dimensions, long* counts, long schedule,
                                            long chunk, long* first, long* last,
                                            unsigned long* reductions, void** memory) {
  begin_doacross(dimensions, counts);
  const bool some = OPENMP_REAL(GOMP_loop_doacross_start)(dimensions, counts, schedule, chunk,
                                                          first, last, reductions, memory);
  begun_reduction(reductions);
  return some;
}
OPENMP_EXPORT bool GOMP_loop_ull_start(bool up, Ull start, Ull end, Ull step, long schedule,
                                       Ull chunk, Ull* first, Ull* last, unsigned long* reductions,
                                       void** memory) {
  const bool some = OPENMP_REAL(GOMP_loop_ull_start)(up, start, end, step, schedule, chunk, first,
                                                     last, reductions, memory);
  begun_reduction(reductions);
  return some;
}
OPENMP_EXPORT bool GOMP_loop_ull_ordered_start(bool up, Ull start, Ull end, Ull step, long schedule,
                                               Ull chunk, Ull* first, Ull* last,
                                               unsigned long* reductions, void** memory) {
  const bool some = OPENMP_REAL(GOMP_loop_ull_ordered_start)(up, start, end, step, schedule, chunk,
                                                             first, last, reductions, memory);
  begun_reduction(reductions);
  return some;
}
OPENMP_EXPORT bool GOMP_loop_ull_doacross_start(unsigned dimensions, Ull* counts, long schedule,
                                                Ull chunk, Ull* first, Ull* last,
                                                unsigned long* reductions, void** memory) {
  begin_doacross(dimensions, counts);
  const bool some = OPENMP_REAL(GOMP_loop_ull_doacross_start)(dimensions, counts, schedule, chunk,
                                                              first, last, reductions, memory);
  begun_reduction(reductions);
  return some;
}
OPENMP_EXPORT unsigned GOMP_sections2_start(unsigned count, unsigned long* reductions,
                                            void** memory) {
  const unsigned section = OPENMP_REAL(GOMP_sections2_start)(count, reductions, memory);
  begun_reduction(reductions);
  return section;
}
OPENMP_EXPORT void GOMP_scope_start(unsigned long* reductions) {
  OPENMP_REAL(GOMP_scope_start)(reductions);
  begun_reduction(reductions);
}
OPENMP_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  Task* task = watched();
  if (task) openmp::enter_barrier(*task);
  OPENMP_REAL(GOMP_workshare_task_reduction_unregister)(cancelled);
  if (!task) return;
  openmp::end_group(*task);
  if (cancelled) {
    openmp::end_wait(*task);
  } else {
    openmp::exit_barrier(*task);
  }
}
