// The interface of runtime.h: each call becomes a step of the detector and, when recording, an
// event. Locks are in runtime_lock.cpp.
#include "frontends/cpu/rt/runtime.h"

#include <sys/syscall.h>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/ignored_code.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/rt/sampling.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

live::Detector& detector() {
  return g_runtime.detector;
}
std::uint64_t address(const volatile void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

}  // namespace

Thread* self() {
  live::Thread* t = g_hot.thread;
  if (t == nullptr || live::is_inside(t->inside.load(std::memory_order_relaxed))) return nullptr;
  return static_cast<Thread*>(t->owner);
}

namespace {
// What a LibraryCall pushed is undone by its destructor, even when the function returned twice.
live::Frame* push(const void* caller) {
  live::Frame* f = g_hot.top;
  if (f == g_hot.limit) {
    ++g_hot.beyond;
    return nullptr;
  }
  f->pc = reinterpret_cast<std::uint64_t>(caller);
  f->node = 0;
  g_hot.top = f + 1;
  return f;
}
}  // namespace

namespace {
// Before the runtime is ready, main is one of them.
void note_unknown_thread() {
  g_hot.beyond += kNobody;
  if (g_runtime.ready.load(std::memory_order_relaxed)) {
    g_runtime.unknown_threads.fetch_add(1, std::memory_order_relaxed);
  }
}
}  // namespace

LibraryCall::LibraryCall(const void* function, const void* caller, Kind kind)
    : thread(kind != Kind::kAlways && is_left_alone(caller) ? nullptr : self()) {
  if (thread == nullptr) {
    if (is_new_unknown(g_hot.beyond)) [[unlikely]]
      note_unknown_thread();
    return;
  }
  outer_ = thread->function;
  frame_ = push(caller);
  thread->function = function;
}

LibraryCall::~LibraryCall() {
  if (thread == nullptr) return;
  thread->function = outer_;
  if (g_hot.thread != thread->live) return;  // switched away for good
  if (frame_ != nullptr) {
    g_hot.top = static_cast<live::Frame*>(frame_);
  } else if (g_hot.beyond != 0) {
    --g_hot.beyond;
  }
}

std::uint32_t where(Thread& t) {
  live::Detector& d = detector();
  d.world.enter(*t.live);
  const std::uint64_t pc = place(t);
  const std::uint32_t context = pc == 0
                                    ? d.contexts.number(d.arena, t.live->frames, t.live->hot->top)
                                    : d.context(*t.live, pc);
  d.world.leave(*t.live);
  return context;
}

std::uint32_t number(const Thread& t) {
  return t.number;
}

std::size_t call_depth(Thread& t) {
  return static_cast<std::size_t>(t.live->hot->top - t.live->frames);
}

void unwind_to(Thread& t, std::size_t depth) {
  live::Frame* const top = t.live->frames + depth;
  if (top < t.live->hot->top) t.live->hot->top = top;
  t.live->hot->beyond = 0;
  t.function = nullptr;
  hold_left(t);
}

void push_earlier(Thread& t, std::uint32_t stack, const void* function) {
  constexpr std::uint32_t kMost = 64;
  std::uint64_t words[kMost];
  const std::uint32_t n = detector().contexts.stack(stack, words, kMost);
  const auto put = [&t](std::uint64_t pc) {
    live::Frame*& top = t.live->hot->top;
    if (top == t.live->hot->limit) return;
    top->pc = pc;
    top->node = 0;
    ++top;
  };
  // The innermost is the function that took the callback: the other one stands for it.
  for (std::uint32_t i = n; i > 1; --i) put(words[i - 1]);
  put(reinterpret_cast<std::uint64_t>(function) | std::uint64_t{1} << 63);
}

void insert_callers(Thread& t, const std::uint64_t* pcs, std::size_t count) {
  live::Frame*& top = t.live->hot->top;
  if (top - t.live->frames < 2) return;
  std::size_t caller = 0;
  while (caller < count && pcs[caller] != top[-1].pc) ++caller;
  std::size_t known = caller;
  while (known < count && pcs[known] != top[-2].pc) ++known;
  if (known >= count || known - caller < 2) return;  // a direct call, or another stack
  const std::size_t missing = known - caller - 1;
  if (static_cast<std::size_t>(t.live->hot->limit - top) < missing) return;
  --top;
  for (std::size_t i = known; i-- > caller;) {
    top->pc = pcs[i];
    top->node = 0;
    ++top;
  }
}

// --- Memory ------------------------------------------------------------------------------------------

namespace {

// The thread ignores its accesses, or the call under way comes from code whose accesses are ignored.
bool ignores_accesses(const Thread& t) {
  if (t.live->ignore_accesses != 0) return true;
  if (!g_ignores_code.load(std::memory_order_relaxed) || t.function == nullptr) return false;
  return is_access_ignored(reinterpret_cast<const void*>(g_hot.top[-1].pc));
}

// Of the library function under way and who called it.
std::uint64_t sampling_key(const Thread& t) {
  return place(t) ^ g_hot.top[-1].pc << 8;
}

void access(Thread& t, EventKind event, live::LogKind kind, const volatile void* p, std::size_t n) {
  if (g_samples_accesses && !is_library_sampled(sampling_key(t))) return;
  for_sampled_ends(address(p), n, [&](std::uint64_t at, std::uint64_t bytes) {
    record_access(t, event, at, bytes, place(t));
    detector().range(*t.live, at, bytes, kind, place(t));
  });
}

}  // namespace

void read(Thread& t, const volatile void* p, std::size_t n) {
  if (n == 0 || ignores_accesses(t)) return;
  hold_access(t, address(p), n, EventKind::kRead, place(t));
  access(t, EventKind::kRead, live::LogKind::kRead, p, n);
}

void write(Thread& t, volatile void* p, std::size_t n) {
  if (n == 0 || ignores_accesses(t)) return;
  hold_access(t, address(p), n, EventKind::kWrite, place(t));
  access(t, EventKind::kWrite, live::LogKind::kWrite, p, n);
}

void memory_allocated(Thread& t, void* p, std::size_t n) {
  const SyncTime time;
  if (ignores_accesses(t)) return memory_replaced(p, n);
  hold_access(t, address(p), n, EventKind::kAlloc, place(t));
  record_access(t, EventKind::kAlloc, address(p), n, place(t));
  if (g_samples_accesses && !is_library_sampled(sampling_key(t))) {
    detector().renew(*t.live, address(p), n);
    return;
  }
  detector().made(*t.live, address(p), n, place(t));
}

void memory_freed(Thread& t, void* p, std::size_t n) {
  const SyncTime time;
  if (n == 0) return;
  const bool ignored = ignores_accesses(t);
  if (!ignored) hold_access(t, address(p), n, EventKind::kFree, place(t));
  record_access(t, EventKind::kFree, address(p), n, place(t));
  if (g_samples_accesses && !is_library_sampled(sampling_key(t))) return;
  if (!ignored) {
    for_sampled_ends(address(p), n, [&](std::uint64_t at, std::uint64_t bytes) {
      detector().range(*t.live, at, bytes, live::LogKind::kFree, place(t));
    });
  }
}

void memory_replaced(volatile void* p, std::size_t n) {
  if (!g_runtime.ready.load(std::memory_order_relaxed) || n == 0) return;
  if (Thread* t = self(); t != nullptr) {
    record_access(*t, EventKind::kAlloc, address(p), n, place(*t));
    detector().world.enter(*t->live);
    detector().forget(address(p), n);
    detector().world.leave(*t->live);
    ++t->live->clock.changes;  // what it did before is not known any more (pass/repeated.cpp)
  } else {
    detector().forget(address(p), n);
  }
}

// --- Keys, barriers --------------------------------------------------------------------------------------

void acquire(Thread& t, SyncKey key) {
  detector().acquire(*t.live, key);
  if (t.live->ignore_sync == 0) record_key(t, EventKind::kAtomicLoad, Order::kAcquire, key);
  step_key(t, EventKind::kAtomicLoad, Order::kAcquire, key);
}

void release(Thread& t, SyncKey key) {
  if (t.live->ignore_sync == 0) record_key(t, EventKind::kAtomicRmw, Order::kRelease, key);
  step_key(t, EventKind::kAtomicRmw, Order::kRelease, key);
  detector().release(*t.live, key, false);
}

void release_store(Thread& t, SyncKey key) {
  if (t.live->ignore_sync == 0) record_key(t, EventKind::kAtomicStore, Order::kRelease, key);
  step_key(t, EventKind::kAtomicStore, Order::kRelease, key);
  detector().release(*t.live, key, true);
}

bool watches_processes() {
  return between_on();
}

void acquire_named(Thread& t, std::uint64_t name) {
  step_named(t, EventKind::kAtomicLoad, Order::kAcquire, name);
}

void release_named(Thread& t, std::uint64_t name) {
  step_named(t, EventKind::kAtomicRmw, Order::kRelease, name);
  if (!between_on()) return;
  // What it does again is not known by those who learn from this.
  detector().world.enter(*t.live);
  detector().advance(*t.live);
  detector().world.leave(*t.live);
}

void process_waited(Thread& t, int pid) {
  between_waited(t, static_cast<std::uint32_t>(pid));
}

void barrier_enter(Thread& t, void* barrier) {
  record_simple(t, EventKind::kBarrierEnter, address(barrier));
  step_barrier(t, EventKind::kBarrierEnter, address(barrier));
  t.barrier_round = detector().barrier_enter(*t.live, address(barrier));
}

void barrier_exit(Thread& t, void* barrier) {
  detector().barrier_exit(*t.live, address(barrier), t.barrier_round);
  record_simple(t, EventKind::kBarrierExit, address(barrier));
  step_barrier(t, EventKind::kBarrierExit, address(barrier));
}

// --- Signals, ignoring -----------------------------------------------------------------------------------

void handlers_installed() {
  detector().interruptible.store(true, std::memory_order_relaxed);
}

bool busy() {
  return g_hot.thread != nullptr && live::is_busy(*g_hot.thread);
}

namespace {
void (*g_deliver)() = nullptr;
}

void on_leaving(void (*deliver)()) {
  g_deliver = deliver;
  detector().world.on_deliver = [](live::Thread& t) {
    t.delivery_wanted.store(0, std::memory_order_relaxed);
    g_deliver();
  };
}

void want_delivery() {
  if (g_hot.thread != nullptr) g_hot.thread->delivery_wanted.store(1, std::memory_order_relaxed);
}

namespace {
void set_ignored_accesses(Thread& t, std::uint32_t depth) {
  t.live->ignore_accesses = depth;
  ++t.live->clock.changes;  // a check in between had no effect (pass/repeated.cpp)
}
}  // namespace

void ignore_accesses(Thread& t, bool begin) {
  set_ignored_accesses(t, t.live->ignore_accesses + (begin ? 1U : ~0U));
}

void ignore_sync(Thread& t, bool begin) {
  t.live->ignore_sync += begin ? 1U : ~0U;
}

Ignoring handler_begins(Thread& t) {
  const Ignoring before{t.live->ignore_accesses, t.live->ignore_sync, t.in_signal_handler};
  t.in_signal_handler = true;
  if (before.accesses != 0 && !g_checks_no_access) set_ignored_accesses(t, 0);
  t.live->ignore_sync = 0;
  return before;
}

void handler_ended(Thread& t, const Ignoring& before) {
  t.in_signal_handler = before.in_handler;
  if (before.accesses != 0 && !g_checks_no_access) set_ignored_accesses(t, before.accesses);
  t.live->ignore_sync = before.sync;
}

void say(const char* message) {
  char line[512];
  std::size_t n = 0;
  for (const char* p = "redflag: "; *p != 0; ++p) line[n++] = *p;
  for (const char* p = message; *p != 0 && n + 2 < sizeof(line); ++p) line[n++] = *p;
  line[n++] = '\n';
  live::os_syscall(SYS_write, 2, reinterpret_cast<long>(line), static_cast<long>(n));
}

void misused(Thread& t, Misuse what, const void* object, std::uint32_t detail) {
  report_misuse(t, what, reinterpret_cast<std::uint64_t>(object), detail);
}

}  // namespace redflag::rt
