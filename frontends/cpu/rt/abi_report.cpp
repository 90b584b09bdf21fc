// The report as the program sees it: ThreadSanitizer's interface for __tsan_on_report() and debuggers
// (<sanitizer/tsan_interface.h>).
//
// The reporter is another process and has the names; what is here are the numbers that were sent to
// it: addresses, program counters, threads, locks. A global variable is asked for. There is one
// report at a time, and its functions answer only while __tsan_on_report() runs: for any other
// pointer they return 0, and so do places beyond the end.
//
// As in ThreadSanitizer: the later access comes first; a stack is cut where the room ends, and its
// end is a null; threads are those of the two accesses and of the memory.
#include <cstddef>
#include <cstdint>

#include "core/model/race.h"
#include "core/model/sources.h"
#include "frontends/cpu/rt/message.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/rt/reporter.h"

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))

namespace redflag::rt {
namespace {

const wire::Race* current(const void* report) {
  const wire::Race* const race = &last_message().race;
  return is_reporting() && report == race ? race : nullptr;
}

void copy_words(const std::uint64_t* words, std::uint32_t count, void** trace, unsigned long room) {
  unsigned long i = 0;
  for (; i < count && i < room; ++i) {
    trace[i] = reinterpret_cast<void*>(words[i] & ~wire::kExactPc);
  }
  if (i < room) trace[i] = nullptr;
}

void copy_stack(const wire::StackRef& ref, void** trace, unsigned long room) {
  copy_words(last_message().words + ref.first, ref.count, trace, room);
}

const char* description(Rule rule) {
  switch (rule) {
    case Rule::kVptr:
      return "data-race-vptr";
    case Rule::kUseAfterFree:
      return "heap-use-after-free";
    case Rule::kDestroyLocked:
      return "locked-mutex-destroy";
    case Rule::kDoubleLock:
      return "mutex-double-lock";
    case Rule::kUnlockUnlocked:
      return "mutex-bad-unlock";
    case Rule::kReadLockWrong:
      return "mutex-bad-read-lock";
    case Rule::kReadUnlockWrong:
      return "mutex-bad-read-unlock";
    case Rule::kThreadLeak:
      return "thread-leak";
    case Rule::kSignalUnsafe:
      return "signal-unsafe-call";
    case Rule::kErrnoInSignal:
      return "errno-in-signal-handler";
    default:
      return "data-race";
  }
}

bool has_accesses(const wire::Race& race) {
  return is_race(static_cast<Rule>(race.rule));
}

// The threads that the report is about, among those that were sent.
struct Threads {
  const wire::ThreadRecord* at[3];
  int count = 0;

  void add(std::uint32_t number) {
    for (int i = 0; i < count; ++i) {
      if (at[i]->number == number) return;
    }
    const MessageView view = last_message();
    for (std::uint32_t i = 0; i < view.race.threads; ++i) {
      if (view.threads[i].number == number) at[count++] = &view.threads[i];
    }
  }
  explicit Threads(const wire::Race& race) {
    add(race.second.thread);
    if (race.has_first != 0) add(race.first.thread);
    if (race.memory.addr != 0) add(race.memory.thread);
  }
};

wire::Answer ask_for_data(std::uint64_t addr) {
  wire::Question question;
  question.addr = addr;
  return ask(question);
}

// What is known of the memory of a report.
struct Location {
  const char* type = nullptr;  // nullptr: nothing
  std::uint64_t start = 0;
  std::uint64_t size = 0;

  explicit Location(const wire::Race& race) {
    const wire::MemoryRecord& memory = race.memory;
    start = memory.addr;
    size = memory.size;
    if (memory.is_fd != 0) {
      type = "fd";
    } else if (memory.kind == static_cast<std::uint8_t>(RegionKind::kHeap)) {
      type = "heap";
    } else if (memory.kind == static_cast<std::uint8_t>(RegionKind::kStack)) {
      type = "stack";
    } else if (memory.kind == static_cast<std::uint8_t>(RegionKind::kThreadLocal)) {
      type = "tls";
    } else if (const wire::Answer answer = ask_for_data(race.addr); answer.known != 0) {
      type = "global";
      start = answer.addr;
      size = answer.size;
    }
  }
};

template <typename T>
void put(T* to, T value) {
  if (to != nullptr) *to = value;
}

void* pointer(std::uint64_t addr) {
  return reinterpret_cast<void*>(addr);
}

void copy_name(const char* from, char* to, std::size_t room) {
  std::size_t i = 0;
  for (; from[i] != 0 && i + 1 < room; ++i) to[i] = from[i];
  if (room != 0) to[i] = 0;
}

// The lock of reports, unless this thread has it.
class ReportGuard {
 public:
  ReportGuard() : taken_(!is_reporting()) {
    if (taken_) g_report_lock.lock();
  }
  ~ReportGuard() {
    if (taken_) g_report_lock.unlock();
  }
  ReportGuard(const ReportGuard&) = delete;
  ReportGuard& operator=(const ReportGuard&) = delete;

 private:
  const bool taken_;
};

}  // namespace
}  // namespace redflag::rt

using namespace redflag;
using namespace redflag::rt;

REDFLAG_ABI void* __tsan_get_current_report() {
  return is_reporting() ? const_cast<wire::Race*>(&last_message().race) : nullptr;
}

REDFLAG_ABI int __tsan_get_report_data(void* report, const char** text, int* count,
                                       int* stack_count, int* mop_count, int* loc_count,
                                       int* mutex_count, int* thread_count, int* unique_tid_count,
                                       void** sleep_trace, unsigned long trace_size) {
  const wire::Race* const race = current(report);
  if (race == nullptr) return 0;
  const bool accesses = has_accesses(*race);
  const bool leak = static_cast<Rule>(race->rule) == Rule::kThreadLeak;
  put(text, description(static_cast<Rule>(race->rule)));
  put(count, leak ? static_cast<int>(race->size) - 1 : 0);
  put(stack_count, accesses || leak ? 0 : 1);
  put(mop_count, accesses ? 1 + race->has_first : 0);
  put(loc_count, Location(*race).type != nullptr ? 1 : 0);
  put(mutex_count, static_cast<int>(race->locks));
  put(thread_count, Threads(*race).count);
  put(unique_tid_count, 0);
  if (sleep_trace != nullptr) copy_words(nullptr, 0, sleep_trace, trace_size);
  return 1;
}

REDFLAG_ABI int __tsan_get_report_tag(void* report, unsigned long* tag) {
  if (current(report) == nullptr) return 0;
  put(tag, 0UL);
  return 1;
}

REDFLAG_ABI int __tsan_get_report_stack(void* report, unsigned long index, void** trace,
                                        unsigned long trace_size) {
  const wire::Race* const race = current(report);
  if (race == nullptr || index != 0 || has_accesses(*race)) return 0;
  copy_stack(race->second.stack, trace, trace_size);
  return 1;
}

REDFLAG_ABI int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** addr,
                                      int* size, int* write, int* atomic, void** trace,
                                      unsigned long trace_size) {
  const wire::Race* const race = current(report);
  if (race == nullptr || !has_accesses(*race) || index > race->has_first) return 0;
  const wire::AccessRecord& access = index == 0 ? race->second : race->first;
  const auto kind = static_cast<EventKind>(access.kind);
  put(tid, static_cast<int>(access.thread));
  put(addr, pointer(access.addr));
  put(size, static_cast<int>(access.size));
  put(write, writes(kind) || kind == EventKind::kAlloc ? 1 : 0);
  put(atomic, is_atomic(kind) ? 1 : 0);
  copy_stack(access.stack, trace, trace_size);
  return 1;
}

REDFLAG_ABI int __tsan_get_report_loc(void* report, unsigned long index, const char** type,
                                      void** addr, void** start, unsigned long* size, int* tid,
                                      int* fd, int* suppressable, void** trace,
                                      unsigned long trace_size) {
  const wire::Race* const race = current(report);
  if (race == nullptr || index != 0) return 0;
  const Location location(*race);
  if (location.type == nullptr) return 0;
  const wire::MemoryRecord& memory = race->memory;
  const bool is_fd = memory.is_fd != 0;
  put(type, location.type);
  put(addr, is_fd ? nullptr : pointer(race->addr));
  put(start, is_fd ? nullptr : pointer(location.start));
  put(size, is_fd ? 0UL : static_cast<unsigned long>(location.size));
  put(tid, memory.addr == 0 && !is_fd ? 0 : static_cast<int>(memory.thread));
  put(fd, is_fd ? static_cast<int>(memory.addr) : 0);
  put(suppressable, 0);
  copy_stack(memory.allocated, trace, trace_size);
  return 1;
}

REDFLAG_ABI int __tsan_get_report_loc_object_type(void* report, unsigned long index,
                                                  const char** object_type) {
  const wire::Race* const race = current(report);
  if (race == nullptr || index != 0 || Location(*race).type == nullptr) return 0;
  put(object_type, static_cast<const char*>(""));
  return 1;
}

REDFLAG_ABI int __tsan_get_report_mutex(void* report, unsigned long index, std::uint64_t* mutex_id,
                                        void** addr, int* destroyed, void** trace,
                                        unsigned long trace_size) {
  const wire::Race* const race = current(report);
  if (race == nullptr || index >= race->locks) return 0;
  const wire::LockRecord& lock = last_message().locks[index];
  put(mutex_id, lock.id);
  put(addr, pointer(lock.addr));
  put(destroyed, static_cast<int>(lock.destroyed));
  copy_stack(lock.created, trace, trace_size);
  return 1;
}

REDFLAG_ABI int __tsan_get_report_thread(void* report, unsigned long index, int* tid,
                                         std::uint64_t* os_id, int* running, const char** name,
                                         int* parent_tid, void** trace, unsigned long trace_size) {
  const wire::Race* const race = current(report);
  if (race == nullptr) return 0;
  const Threads threads(*race);
  if (index >= static_cast<unsigned long>(threads.count)) return 0;
  const wire::ThreadRecord& thread = *threads.at[index];
  put(tid, static_cast<int>(thread.number));
  put(os_id, static_cast<std::uint64_t>(thread.tid));
  put(running, static_cast<int>(thread.running));
  put(name, static_cast<const char*>(thread.name));
  put(parent_tid, static_cast<int>(thread.parent));
  copy_stack(thread.created, trace, trace_size);
  return 1;
}

// Only reports of cycles of locks have these.
REDFLAG_ABI int __tsan_get_report_unique_tid(void*, unsigned long, int*) {
  return 0;
}

REDFLAG_ABI const char* __tsan_locate_address(std::uint64_t addr, char* name, std::size_t name_size,
                                              std::uint64_t* region_address,
                                              std::uint64_t* region_size) {
  copy_name("", name, name_size);
  const auto region = [&](std::uint64_t begin, std::uint64_t end) {
    put(region_address, begin);
    put(region_size, end - begin);
  };
  region(0, 0);
  if (HeapBlock block; find_heap_block(addr, block)) {
    region(block.begin, block.begin + block.size);
    return "heap";
  }
  {
    const live::Guard threads(g_runtime.threads_lock);
    for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
      const bool tls = addr >= t->tls_low && addr < t->tls_high;
      if (!tls && (addr < t->stack_low || addr >= t->stack_high)) continue;
      region(tls ? t->tls_low : t->stack_low, tls ? t->tls_high : t->stack_high);
      return tls ? "tls" : "stack";
    }
  }
  const ReportGuard guard;
  const wire::Answer answer = ask_for_data(addr);
  if (answer.known == 0) return "";
  region(answer.addr, answer.addr + answer.size);
  copy_name(answer.name, name, name_size);
  return "global";
}

REDFLAG_ABI int __tsan_get_alloc_stack(std::uint64_t addr, std::uint64_t* trace, std::size_t size,
                                       int* thread_id, std::uint64_t* os_id) {
  HeapBlock block;
  if (!find_heap_block(addr, block)) return 0;
  constexpr std::uint32_t kMost = 256;
  std::uint64_t words[kMost];
  const std::uint32_t n = g_runtime.detector.contexts.stack(block.stack, words, kMost);
  put(thread_id, static_cast<int>(block.thread));
  {
    const live::Guard threads(g_runtime.threads_lock);
    const Thread* const t = find_thread(block.thread);
    put(os_id, static_cast<std::uint64_t>(t == nullptr ? 0 : t->tid));
  }
  std::uint32_t i = 0;
  for (; i < n && i < size; ++i) trace[i] = words[i] & ~wire::kExactPc;
  return static_cast<int>(i);
}
