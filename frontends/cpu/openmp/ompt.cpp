// clang's libomp, by the events it tells itself (OMPT).
//
// libomp asks every program for ompt_start_tool; libredflag has one. Events are handed to model.h
// one by one; the pointer that OMPT keeps per region and per task is our Team and Task. Two habits
// of libomp matter: a worker hears of the end of a region (barrier end, implicit task end) only when
// it begins the next one, so teams outlive their join; and inside the final barrier the region is
// not named any more, only the task. Locks, reductions and memory of tasks are in locks.cpp and
// kmpc.cpp.
#include "frontends/cpu/openmp/ompt.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "frontends/cpu/linkage/originals.h"
#include "frontends/cpu/openmp/depend.h"
#include "frontends/cpu/openmp/library.h"
#include "frontends/cpu/openmp/model.h"

namespace redflag::openmp {

namespace {

constinit std::atomic<bool> in_use{false};
constinit ompt::GetTaskMemory get_task_memory = nullptr;
constinit ompt::GetTaskInfo get_task_info = nullptr;

Task* task_of(const ompt::Data* data) {
  return data ? static_cast<Task*>(data->pointer) : nullptr;
}
Team* team_of(const ompt::Data* data) {
  return data ? static_cast<Team*>(data->pointer) : nullptr;
}

// Remembers where libomp notes the place of the task that runs now.
void know_frame(Task& task) {
  ompt::Frame* frame = nullptr;
  if (get_task_info && get_task_info(0, nullptr, nullptr, &frame, nullptr, nullptr)) {
    task.ompt_frame = frame;
  }
}

// Where the frames of a task begin that is run, or was, inside the library call of another: below
// the place where the other entered the library, or where it was seen to begin waiting. `here` is
// the callback's frame, some way further down, for where neither is known.
const void* begin_of_frames(const Task* from, const Task* to, const void* here) {
  std::uintptr_t begin = 0;
  for (const Task* task : {from, to}) {
    if (!task) continue;
    auto enter = reinterpret_cast<std::uintptr_t>(task->waiting ? task->wait_frame : nullptr);
    if (task->ompt_frame) {
      const auto* frame = static_cast<const ompt::Frame*>(task->ompt_frame);
      if (frame->enter.value > enter) enter = frame->enter.value;
    }
    if (enter <= reinterpret_cast<std::uintptr_t>(here)) continue;
    if (begin == 0 || enter < begin) begin = enter;
  }
  return begin ? reinterpret_cast<const void*>(begin) : here;
}

// The library's frames beside this callback's, where its waiting begins.
constexpr std::uintptr_t kBeside = 64;
const void* wait_frame(const void* here) {
  return static_cast<const char*>(here) + kBeside;
}

// --- Threads and regions ---------------------------------------------------------------------------
void thread_end(ompt::Data*) {
  Worker& w = worker();
  if (w.last) release(w.last);
  w.last = nullptr;
  w.task = nullptr;
}

void parallel_begin(ompt::Data* forker, const ompt::Frame*, ompt::Data* region, unsigned, int,
                    const void*) {
  region->pointer = nullptr;
  Task* task = task_of(forker);
  if (!task) task = current_task();
  if (task) region->pointer = task->region = fork(*task);
}

// Not by the region's own pointer: libomp may have given its record to another region by now.
void parallel_end(ompt::Data*, ompt::Data* forker, int, const void*) {
  Task* task = task_of(forker);
  if (!task) task = worker().initial;
  if (!task || !task->region) return;
  Team* team = task->region;
  task->region = nullptr;
  switch_task(*task, __builtin_frame_address(0));
  join(*team);
}

void implicit_task(ompt::Endpoint endpoint, ompt::Data* region, ompt::Data* data, unsigned threads,
                   unsigned, int flags) {
  if (endpoint == ompt::kBegin) {
    Team* team = team_of(region);
    if (team) {
      data->pointer = begin_implicit(*team, threads, __builtin_frame_address(0));
    } else {
      data->pointer = flags & ompt::kInitial ? current_task() : nullptr;
    }
    if (Task* task = task_of(data)) know_frame(*task);
    return;
  }
  Task* task = task_of(data);
  if (!task || !task->team) return;
  data->pointer = nullptr;
  Worker& w = worker();
  end_implicit(*task, __builtin_frame_address(0));
  if (w.task == task) w.task = nullptr;
}

// --- Barriers and waiting ----------------------------------------------------------------------------
void sync_region(ompt::SyncRegion kind, ompt::Endpoint endpoint, ompt::Data*, ompt::Data* data,
                 const void*) {
  Task* task = task_of(data);
  if (!task) return;
  const bool begins = endpoint & ompt::kBegin;
  const bool ends = endpoint & ompt::kEnd;
  if (begins) task->wait_frame = wait_frame(__builtin_frame_address(0));
  switch (kind) {
    case ompt::kTaskwait:
      if (begins) begin_wait(*task);
      if (!ends) break;
      children_done(*task);
      end_wait(*task);
      break;
    case ompt::kTaskgroup:
      // Begins where the group does, not where it waits.
      if (begins) begin_group(*task);
      if (!ends) break;
      end_group(*task);
      end_wait(*task);
      break;
    case ompt::kReductionRegion:
      break;
    default:
      if (begins) enter_barrier(*task);
      if (ends) exit_barrier(*task);
  }
}

// The end of a group's waiting comes before the library combines what its tasks reduced, in code
// of the program.
void sync_region_wait(ompt::SyncRegion kind, ompt::Endpoint endpoint, ompt::Data*, ompt::Data* data,
                      const void*) {
  Task* task = task_of(data);
  if (!task || kind != ompt::kTaskgroup) return;
  if (endpoint & ompt::kBegin) {
    task->wait_frame = wait_frame(__builtin_frame_address(0));
    begin_wait(*task);
  }
  if ((endpoint & ompt::kEnd) && task->group) rt::acquire(*task->thread, task->group->done.key());
}

// Inside a barrier this is a step of the reduction tree; elsewhere kmpc.cpp sees to it.
void reduction(ompt::SyncRegion, ompt::Endpoint endpoint, ompt::Data*, ompt::Data* data,
               const void*) {
  Task* task = task_of(data);
  if (!task || !task->waiting) return;
  if (endpoint & ompt::kBegin) begin_combining(*task);
  if (endpoint & ompt::kEnd) end_combining(*task);
}

// --- Tasks ------------------------------------------------------------------------------------------
void task_create(ompt::Data* parent, const ompt::Frame*, ompt::Data* data, int flags, int,
                 const void*) {
  data->pointer = nullptr;
  Task* creator = task_of(parent);
  if (!creator) creator = current_task();
  if (!creator) return;
  const auto bits = static_cast<unsigned>(flags);
  // What a target task does is done by a device, or by a thread that is not the program's.
  const bool included = bits & (ompt::kUndeferred | ompt::kMerged | ompt::kTaskwaitTask);
  Task* task = create_task(*creator, included ? Deferral::kIncluded : Deferral::kDeferrable);
  if (bits & ompt::kFinal) task->final = true;
  data->pointer = task;
}

void dependences(ompt::Data* data, const ompt::Dependence* list, int count) {
  Task* task = task_of(data);
  if (!task || !task->parent || count == 0) return;
  if (list[0].type == ompt::kSource || list[0].type == ompt::kSink) return;  // kmpc.cpp
  Task& parent = *task->parent;
  if (!parent.dependences) parent.dependences = make<Dependences>();
  for (int i = 0; i < count; ++i) {
    Depend type = Depend::kOut;
    switch (list[i].type) {
      case ompt::kIn:
        type = Depend::kIn;
        break;
      case ompt::kMutexInOutSet:
        type = Depend::kMutexInOutSet;
        break;
      case ompt::kInOutSet:
        type = Depend::kInOutSet;
        break;
      case ompt::kOutAllMemory:
      case ompt::kInOutAllMemory:
        type = Depend::kAllMemory;
        break;
      default:
        break;
    }
    parent.dependences->add(*task, list[i].variable.pointer, type);
  }
}

// The present task's block: its private variables, soon another task's.
void forget_task_memory() {
  void* block = nullptr;
  std::size_t size = 0;
  if (!get_task_memory) return;
  get_task_memory(&block, &size, 0);
  if (block && size) rt::memory_replaced(block, size);
}

void task_schedule(ompt::Data* before, ompt::TaskStatus status, ompt::Data* after) {
  Task* from = task_of(before);
  Task* to = task_of(after);
  const void* frame = begin_of_frames(from, to, __builtin_frame_address(0));
  switch (status) {
    case ompt::kEarlyFulfil:
      if (from) fulfilled(*from);
      return;
    case ompt::kLateFulfil:
      if (!from) return;
      fulfilled(*from);
      release(from);
      return;
    case ompt::kTaskwaitComplete: {
      if (!from) return;
      Task& parent = *from->parent;
      start_task(*from, frame);
      finish_task(*from, parent, frame);
      before->pointer = nullptr;
      return;
    }
    case ompt::kComplete:
    case ompt::kCancelled:
      if (from && to && !from->implicit) {
        forget_task_memory();
        before->pointer = nullptr;
        finish_task(*from, *to, frame);
      }
      break;
    case ompt::kDetach:
      if (from && to) suspend_task(*from, *to, frame);
      break;
    default:
      break;
  }
  if (!to) return;
  if (!to->started) know_frame(*to);
  start_task(*to, frame);
}

// --- Starting ---------------------------------------------------------------------------------------
template <class Handler>
void set(ompt::SetCallback set_callback, ompt::Callback which, Handler* handler) {
  set_callback(which, reinterpret_cast<ompt::Function>(handler));
}

int initialize(ompt::Lookup lookup, int, ompt::Data*) {
  const auto set_callback = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  if (!set_callback) return 0;
  get_task_info = reinterpret_cast<ompt::GetTaskInfo>(lookup("ompt_get_task_info"));
  get_task_memory = reinterpret_cast<ompt::GetTaskMemory>(lookup("ompt_get_task_memory"));
  set(set_callback, ompt::kThreadEnd, thread_end);
  set(set_callback, ompt::kParallelBegin, parallel_begin);
  set(set_callback, ompt::kParallelEnd, parallel_end);
  set(set_callback, ompt::kImplicitTask, implicit_task);
  set(set_callback, ompt::kSyncRegion, sync_region);
  set(set_callback, ompt::kSyncRegionWait, sync_region_wait);
  set(set_callback, ompt::kReduction, reduction);
  set(set_callback, ompt::kTaskCreate, task_create);
  set(set_callback, ompt::kTaskSchedule, task_schedule);
  set(set_callback, ompt::kDependences, dependences);
  in_use.store(true, std::memory_order_release);
  return 1;  // stay
}

void finalize(ompt::Data*) {
  in_use.store(false, std::memory_order_release);
}

bool equal(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

// libomp would have told us of its events, and the user asked it not to.
__attribute__((constructor)) void warn_if_disabled() {
  const char* setting = std::getenv("OMP_TOOL");
  if (setting && equal(setting, "disabled") && linkage::find_openmp("__kmpc_fork_call")) {
    rt::say(
        "OMP_TOOL=disabled: libomp does not report its synchronisation, so ordered accesses will "
        "be "
        "reported as races; unset OMP_TOOL");
  }
}

}  // namespace

bool ompt_in_use() {
  return in_use.load(std::memory_order_relaxed);
}

}  // namespace redflag::openmp

OPENMP_EXPORT redflag::openmp::ompt::StartToolResult* ompt_start_tool(unsigned, const char*) {
  using namespace redflag::openmp;
  static ompt::StartToolResult result = {initialize, finalize, {0}};
  learn_library(__builtin_return_address(0));
  return &result;
}
