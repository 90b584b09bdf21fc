// Tasks of gcc's libgomp.
//
// libgomp copies a task's data (firstprivate variables, pointers to shared ones) into a block of its
// own and later calls the task's function with it. Ours are put in front of both: the block begins
// with a header that says which task it is, and the program's data follows. libgomp writes into the
// first words of a block itself (the bounds of a taskloop's part, the event of a detached task), so
// the header leaves room there and hands them on.
//
// Blocks are reused by libgomp's malloc, touched by the program before and after tasks that nothing
// orders: their past is forgotten when a task begins and when it ends.
#include <alloca.h>

#include <cstdint>

#include "frontends/cpu/openmp/depend.h"
#include "frontends/cpu/openmp/library.h"
#include "frontends/cpu/openmp/model.h"

using redflag::openmp::Deferral;
using redflag::openmp::Depend;
using redflag::openmp::Dependences;
using redflag::openmp::Holding;
using redflag::openmp::SpinLock;
using redflag::openmp::Task;
using redflag::openmp::TaskGroup;
namespace openmp = redflag::openmp;
namespace rt = redflag::rt;

extern "C" int omp_get_thread_num();

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);

// The flags of GOMP_task and GOMP_taskloop (part of gcc's ABI).
enum Flags : unsigned {
  kFinal = 1u << 1,
  kDepend = 1u << 3,
  kIf = 1u << 10,
  kNoGroup = 1u << 11,
  kReduction = 1u << 12,
  kDetach = 1u << 13,
};

// What libgomp keeps of a registration of task reductions: the size of one thread's copies, and
// where all of them lie.
enum Registration { kCopySize = 1, kCopiesBegin = 2, kCopiesEnd = 6 };

struct Block {
  std::uintptr_t first[3];  // libgomp's: event, or start, end and reductions of a taskloop
  unsigned words;           // how many of them the program's data begins with
  Task* task;               // null: made when it starts, like `pattern`
  Task* pattern;
  Body body;
  Copy copy;           // the program's, or null: bytes
  void* original;      // the program's data
  std::size_t size;    // of it
  std::size_t offset;  // where it is in the block

  char* data() { return reinterpret_cast<char*>(this) + offset; }
};

// --- Events of detached tasks -----------------------------------------------------------------------
struct Event {
  std::uintptr_t event;
  Task* task;
};
constinit SpinLock events_lock;
constinit Event events[256] = {};  // open at once; further ones order nothing

void expect_event(std::uintptr_t event, Task& task) {
  Holding holding(events_lock);
  for (Event& at : events) {
    if (at.task) continue;
    openmp::retain(task);
    at = {event, &task};
    return;
  }
}

Task* take_event(std::uintptr_t event) {
  Holding holding(events_lock);
  for (Event& at : events) {
    if (!at.task || at.event != event) continue;
    Task* task = at.task;
    at = {0, nullptr};
    return task;
  }
  return nullptr;
}

// --- Running ----------------------------------------------------------------------------------------
void copy_block(void* to, void* from) {
  auto* block = static_cast<Block*>(to);
  openmp::copy_bytes(to, from, sizeof(Block));
  rt::memory_replaced(block->data(), block->size);
  if (block->copy) {
    block->copy(block->data(), block->original);
  } else {
    openmp::copy_bytes(block->data(), block->original, block->size);
  }
  openmp::data_copied(block->task ? *block->task : *block->pattern);
  if (block->task && block->words) expect_event(block->first[0], *block->task);
}

// The parts of a taskloop find their thread's copies of reduced variables by its number.
void forget_copies(const std::uintptr_t* registration) {
  if (!registration) return;
  const auto thread = static_cast<std::uintptr_t>(OPENMP_REAL(omp_get_thread_num)());
  const std::uintptr_t size = registration[kCopySize];
  rt::memory_replaced(reinterpret_cast<void*>(registration[kCopiesBegin] + thread * size), size);
}

void run_task(void* argument) {
  auto* block = static_cast<Block*>(argument);
  char* const data = block->data();
  const std::size_t size = block->size;
  openmp::copy_bytes(data, block->first, block->words * sizeof(std::uintptr_t));
  Task* before = openmp::current_task();
  if (!before) return block->body(data);
  rt::memory_replaced(data, size);
  forget_copies(reinterpret_cast<const std::uintptr_t*>(block->first[2]));
  Task* task = block->task ? block->task : openmp::create_late(*block->pattern);
  openmp::start_task(*task, __builtin_frame_address(0));
  block->body(data);
  rt::memory_replaced(data, size);
  openmp::finish_task(*task, *before, __builtin_frame_address(0));
}

std::size_t data_offset(long alignment) {
  const std::size_t mask = static_cast<std::size_t>(alignment < 1 ? 1 : alignment) - 1;
  return (sizeof(Block) + mask) & ~mask;
}

long block_alignment(long alignment) {
  return alignment < static_cast<long>(alignof(Block)) ? static_cast<long>(alignof(Block))
                                                       : alignment;
}

char* aligned(void* memory, long alignment) {
  const auto mask = static_cast<std::uintptr_t>(alignment) - 1;
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory) + mask) & ~mask);
}

// --- Dependences ------------------------------------------------------------------------------------
Dependences& table_of(Task& parent) {
  if (!parent.dependences) parent.dependences = openmp::make<Dependences>();
  return *parent.dependences;
}

// Two forms. Old: count, outs, addresses. New: 0, count, outs, mutexinoutsets, ins, addresses,
// then depend objects, which are an address and a type.
void add_dependences(Task& parent, Task& task, void** depend) {
  Dependences& table = table_of(parent);
  const auto number = [depend](int at) { return reinterpret_cast<std::uintptr_t>(depend[at]); };
  const auto add = [&](void* address, Depend type) {
    table.add(task, address, address || type != Depend::kOut ? type : Depend::kAllMemory);
  };
  if (depend[0]) {
    for (std::uintptr_t i = 0; i < number(0); ++i) {
      add(depend[2 + i], i < number(1) ? Depend::kOut : Depend::kIn);
    }
    return;
  }
  const std::uintptr_t outs = number(2);
  const std::uintptr_t exclusives = outs + number(3);
  const std::uintptr_t ins = exclusives + number(4);
  for (std::uintptr_t i = 0; i < number(1); ++i) {
    void* address = depend[5 + i];
    if (i < ins) {
      add(address, i < outs ? Depend::kOut : i < exclusives ? Depend::kMutexInOutSet : Depend::kIn);
      continue;
    }
    void** object = static_cast<void**>(address);
    switch (reinterpret_cast<std::uintptr_t>(object[1])) {
      case 1:
        add(object[0], Depend::kIn);
        break;
      case 4:
        add(object[0], Depend::kMutexInOutSet);
        break;
      case 5:
        add(object[0], Depend::kInOutSet);
        break;
      default:
        add(object[0], Depend::kOut);
    }
  }
}

Task* watched() {
  return openmp::ompt_in_use() ? nullptr : openmp::current_task();
}

}  // namespace

OPENMP_EXPORT void GOMP_task(Body body, void* data, Copy copy, long size, long alignment,
                             bool deferrable, unsigned flags, void** depend, int priority,
                             void* detach) {
  const auto real = OPENMP_REAL(GOMP_task);
  Task* parent = watched();
  if (!parent) {
    return real(body, data, copy, size, alignment, deferrable, flags, depend, priority, detach);
  }
  Task* task =
      openmp::create_task(*parent, deferrable ? Deferral::kDeferrable : Deferral::kIncluded);
  if (flags & kFinal) task->final = true;
  if (flags & kDepend) add_dependences(*parent, *task, depend);

  const bool event = flags & kDetach;
  const Block head{{},
                   event,
                   task,
                   nullptr,
                   body,
                   copy,
                   data,
                   static_cast<std::size_t>(size),
                   data_offset(alignment)};
  const long whole = static_cast<long>(head.offset) + size;
  const long align = block_alignment(alignment);
  // Bytes are left to libgomp to copy: a task with a copy function is not dropped when cancelled.
  const bool by_function = copy || event;
  auto* block = reinterpret_cast<Block*>(aligned(
      alloca(static_cast<std::size_t>((by_function ? static_cast<long>(sizeof(Block)) : whole) +
                                      align)),
      align));
  openmp::copy_bytes(block, &head, sizeof(head));
  if (!by_function) openmp::copy_bytes(block->data(), data, head.size);
  const bool waits = !task->fiber;  // the parent, inside the library
  if (waits) openmp::begin_wait(*parent);
  real(run_task, block, by_function ? copy_block : nullptr, whole, align, deferrable, flags, depend,
       priority, detach);
  if (waits) openmp::end_wait(*parent);
}

namespace {

template <class Function, class Integer>
void taskloop(Function real, Body body, void* data, Copy copy, long size, long alignment,
              unsigned flags, unsigned long tasks, int priority, Integer start, Integer end,
              Integer step) {
  Task* parent = watched();
  if (!parent) {
    return real(body, data, copy, size, alignment, flags, tasks, priority, start, end, step);
  }
  const bool group = !(flags & kNoGroup);
  if (group) openmp::begin_group(*parent);
  // Every part is created here and now: one pattern has what the creator knew.
  Task* pattern =
      openmp::create_task(*parent, flags & kIf ? Deferral::kDeferrable : Deferral::kIncluded);
  if (flags & kFinal) pattern->final = true;

  Block head{{},
             2,
             nullptr,
             pattern,
             body,
             copy,
             data,
             static_cast<std::size_t>(size),
             data_offset(alignment)};
  if (flags & kReduction) {
    head.first[2] = static_cast<std::uintptr_t*>(data)[2];
    if (group) parent->group->registration = reinterpret_cast<std::uintptr_t*>(head.first[2]);
  }
  const long whole = static_cast<long>(head.offset) + size;
  const long align = block_alignment(alignment);
  auto* block = reinterpret_cast<Block*>(aligned(
      alloca(static_cast<std::size_t>((copy ? static_cast<long>(sizeof(Block)) : whole) + align)),
      align));
  openmp::copy_bytes(block, &head, sizeof(head));
  if (!copy) openmp::copy_bytes(block->data(), data, head.size);
  openmp::begin_wait(*parent);
  real(run_task, block, copy ? copy_block : nullptr, whole, align, flags, tasks, priority, start,
       end, step);
  if (group) openmp::end_group(*parent);
  openmp::end_wait(*parent);
  openmp::forget_pattern(*pattern, !group);
}

}  // namespace

OPENMP_EXPORT void GOMP_taskloop(Body body, void* data, Copy copy, long size, long alignment,
                                 unsigned flags, unsigned long tasks, int priority, long start,
                                 long end, long step) {
  taskloop(OPENMP_REAL(GOMP_taskloop), body, data, copy, size, alignment, flags, tasks, priority,
           start, end, step);
}
OPENMP_EXPORT void GOMP_taskloop_ull(Body body, void* data, Copy copy, long size, long alignment,
                                     unsigned flags, unsigned long tasks, int priority,
                                     unsigned long long start, unsigned long long end,
                                     unsigned long long step) {
  taskloop(OPENMP_REAL(GOMP_taskloop_ull), body, data, copy, size, alignment, flags, tasks,
           priority, start, end, step);
}

// --- Waiting ----------------------------------------------------------------------------------------
OPENMP_EXPORT void GOMP_taskwait() {
  Task* task = watched();
  if (task) openmp::begin_wait(*task);
  OPENMP_REAL(GOMP_taskwait)();
  if (!task) return;
  openmp::children_done(*task);
  openmp::end_wait(*task);
}

OPENMP_EXPORT void GOMP_taskwait_depend(void** depend) {
  Task* parent = watched();
  if (!parent) return OPENMP_REAL(GOMP_taskwait_depend)(depend);
  Task* wait = openmp::create_task(*parent, Deferral::kIncluded);
  add_dependences(*parent, *wait, depend);
  openmp::begin_wait(*parent);
  OPENMP_REAL(GOMP_taskwait_depend)(depend);
  openmp::end_wait(*parent);
  openmp::start_task(*wait, __builtin_frame_address(0));
  openmp::finish_task(*wait, *parent, __builtin_frame_address(0));
}

OPENMP_EXPORT void GOMP_taskgroup_start() {
  OPENMP_REAL(GOMP_taskgroup_start)();
  if (Task* task = watched()) openmp::begin_group(*task);
}

OPENMP_EXPORT void GOMP_taskgroup_end() {
  Task* task = watched();
  if (task) openmp::begin_wait(*task);
  OPENMP_REAL(GOMP_taskgroup_end)();
  if (!task) return;
  openmp::end_group(*task);
  openmp::end_wait(*task);
}

OPENMP_EXPORT void omp_fulfill_event(std::uintptr_t event) {
  if (!openmp::ompt_in_use()) {
    if (Task* task = take_event(event)) {
      openmp::fulfilled(*task);
      openmp::release(task);
    }
  }
  OPENMP_REAL(omp_fulfill_event)(event);
}

// --- Task reductions ----------------------------------------------------------------------------------
OPENMP_EXPORT void GOMP_taskgroup_reduction_register(std::uintptr_t* data) {
  OPENMP_REAL(GOMP_taskgroup_reduction_register)(data);
  Task* task = watched();
  if (task && task->group) task->group->registration = data;
}

OPENMP_EXPORT void GOMP_task_reduction_remap(std::size_t count, std::size_t originals,
                                             void** pointers) {
  OPENMP_REAL(GOMP_task_reduction_remap)(count, originals, pointers);
  Task* task = watched();
  if (!task) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = reinterpret_cast<std::uintptr_t>(pointers[i]);
    // Copies of different threads are on different cache lines, which is all that is known of those
    // that a parallel region or a loop registered.
    std::uintptr_t begin = at & ~std::uintptr_t{63};
    std::size_t size = 64;
    for (const TaskGroup* group = task->group; group; group = group->outer) {
      const std::uintptr_t* copies = group->registration;
      if (!copies || at < copies[kCopiesBegin] || at >= copies[kCopiesEnd]) continue;
      size = copies[kCopySize];
      begin = at - (at - copies[kCopiesBegin]) % size;
      break;
    }
    rt::memory_replaced(reinterpret_cast<void*>(begin), size);
  }
}
