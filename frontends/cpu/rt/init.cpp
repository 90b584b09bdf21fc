// The runtime's beginning, its forks and its end.
#include <sys/syscall.h>
#include <unistd.h>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/known.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/rt/sampling.h"
#include "frontends/cpu/rt/stand_in.h"
#include "frontends/cpu/rt/thread.h"
#include "frontends/cpu/wire/hold.h"
#include "frontends/cpu/wire/wire.h"

extern "C" {
// Programs may bring their own defaults, as they may for ThreadSanitizer.
__attribute__((weak)) const char* __redflag_default_options();
}

namespace redflag::rt {

// Constant-initialised, all zero: instrumented code may run before any constructor.
#ifdef __clang__
Runtime g_runtime{};  // its evaluator gives up at so many elements, and finds the same
#else
constinit Runtime g_runtime{};
#endif

namespace {

void start() {
  if (__redflag_default_options != nullptr) parse_options(__redflag_default_options());
  if (const char* text = environment_variable("REDFLAG_OPTIONS"); text != nullptr)
    parse_options(text);
  sampling_begin(g_options.sampling);
  __builtin_cpu_init();
  g_has_avx2 = __builtin_cpu_supports("avx2") != 0;
  live::Detector& d = g_runtime.detector;
  d.init(&report_race, g_options.history);
  auto* main = static_cast<Thread*>(d.arena.take(sizeof(Thread)));
  *main = Thread{};
  main->number = g_runtime.thread_count++;
  main->tid = static_cast<std::uint32_t>(live::os_syscall(SYS_gettid));
  main->running = true;
  know_main_stack(*main);
  main->joined = true;  // nobody will
  g_runtime.threads = g_runtime.main = main;
  const char* record = environment_variable(wire::kRecordVariable);
  if (record != nullptr && *record != 0) record_begin(record);
  const char* hold = environment_variable(wire::kHoldVariable);
  if (hold != nullptr && *hold != 0) hold_begin(hold);
  main->live = d.create(nullptr, main->number);
  main->live->owner = main;
  start_checking(*main->live);
  take_over(*main);
  record_stack(*main);
  g_runtime.ready.store(true, std::memory_order_release);
  greet();
}

}  // namespace

void ensure_ready() {
  if (g_runtime.ready.load(std::memory_order_acquire)) return;
  static std::atomic<bool> starting{false};
  if (starting.exchange(true)) return;
  start();
}

void check_everything() {
  if (!g_runtime.ready.load(std::memory_order_acquire) || g_runtime.finished.load()) return;
  if (standing_in()) return;
  live::Thread* const me = g_hot.thread;
  if (me != nullptr && live::is_inside(me->inside.load(std::memory_order_relaxed))) return;
  if (me != nullptr) g_runtime.detector.flush_pending(*me);
  check_for_all_others(me);
}

int finish(int status) {
  if (!g_runtime.ready.load(std::memory_order_acquire)) return status;
  check_everything();
  if (Thread* const t = self(); t != nullptr && !standing_in()) close_descriptors(*t);
  if (!standing_in()) report_leaks();
  if (g_runtime.finished.exchange(true)) return status;
  record_end();
  if (const std::uint32_t found = between_finish(); found != kNotAsked) {
    g_runtime.findings.store(found, std::memory_order_relaxed);
  }
  wire::Bye bye;
  bye.status = static_cast<std::uint32_t>(status);
  bye.sweeps = g_runtime.detector.sweeps.load();
  bye.history_bytes = g_runtime.detector.history_bytes();
  bye.shadow_bytes = g_runtime.detector.shadow.resident_bytes();
  {
    const live::Guard guard(g_runtime.threads_lock);
    for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
      if (t->live != nullptr) bye.slow_accesses += t->live->slow_accesses;
    }
  }
  bye.sampled_regions = sampled_regions();
  bye.sampled_checks = sampled_checks();
  say_goodbye(bye);
  return g_runtime.findings.load() != 0 ? static_cast<int>(g_options.exit_status) : status;
}

// The world stands still while the process forks, so that the child finds everything whole.
void fork_before() {
  hold_fork_before();
  if (g_runtime.ready.load() && g_hot.thread != nullptr) {
    g_runtime.detector.flush_pending(*g_hot.thread);
    between_fork_before(of(*g_hot.thread));
  }
  if (g_runtime.ready.load()) g_runtime.detector.world.stop(g_hot.thread);
}
void fork_after_in_parent() {
  if (g_runtime.ready.load()) g_runtime.detector.world.resume(g_hot.thread);
}
void fork_after_in_child() {
  if (!g_runtime.ready.load()) return;
  live::Detector& d = g_runtime.detector;
  // The other threads are gone. What they did happened before the fork.
  for (Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
    if (t->live == g_hot.thread) {
      t->tid = static_cast<std::uint32_t>(live::os_syscall(SYS_gettid));
      continue;
    }
    const bool was_running = t->running;
    t->running = false;
    t->ended = t->joined = true;  // nobody here can join them
    if (was_running) d.world.remove(*t->live);
  }
  d.world.forget_turns();
  d.world.resume(g_hot.thread);
  disconnect_after_fork();
  record_forked();
  if (g_hot.thread != nullptr) between_fork_in_child(of(*g_hot.thread));
  greet();
}

}  // namespace redflag::rt

extern "C" {

__attribute__((visibility("default"))) void __tsan_init() {
  redflag::rt::ensure_ready();
}

__attribute__((constructor(101))) static void redflag_constructor() {
  redflag::rt::ensure_ready();
}
}
