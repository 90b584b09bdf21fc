// The runtime's beginning, its forks and its end.
#include <sys/syscall.h>
#include <unistd.h>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/ignored_code.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/record.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/rt/sampling.h"
#include "frontends/cpu/rt/text.h"
#include "frontends/cpu/rt/thread.h"
#include "frontends/cpu/rt/tsan_options.h"
#include "frontends/cpu/wire/hold.h"
#include "frontends/cpu/wire/wire.h"

extern "C" {
// Programs may bring their own defaults.
__attribute__((weak)) const char* __redflag_default_options();
__attribute__((weak)) const char* __tsan_default_options();
__attribute__((weak)) const char* __tsan_default_suppressions();
__attribute__((weak)) void __tsan_on_initialize();
__attribute__((weak)) int __tsan_on_finalize(int failed);
__attribute__((visibility("default"))) std::atomic<std::uint32_t> __tsan_resumed{0};
__attribute__((visibility("default"))) void __tsan_resume() {
  __tsan_resumed.store(1, std::memory_order_release);
}
}

namespace redflag::rt {

// Constant-initialised, all zero: instrumented code may run before any constructor.
#ifdef __clang__
Runtime g_runtime{};  // its evaluator gives up at so many elements, and finds the same
#else
constinit Runtime g_runtime{};
#endif

namespace {

std::size_t length(const char* text) {
  std::size_t size = 0;
  while (text[size] != 0) ++size;
  return size;
}

std::uint64_t pid() {
  return static_cast<std::uint64_t>(live::os_syscall(SYS_getpid));
}

// What the program itself says comes first: the environment's words win.
void read_options() {
  // Under 'redflag run' that command has read the same text, and says what is wrong with it.
  const bool is_said = environment_variable(wire::kSocketVariable) == nullptr;
  if (__tsan_default_options != nullptr) {
    const char* const text = __tsan_default_options();
    parse_tsan_options(text, "__tsan_default_options", false);
    tell(wire::About::kOptions, text);
  }
  if (__redflag_default_options != nullptr) parse_options(__redflag_default_options());
  if (const char* text = environment_variable("TSAN_OPTIONS"); text != nullptr) {
    parse_tsan_options(text, "TSAN_OPTIONS", is_said);
  }
  if (const char* text = environment_variable("REDFLAG_OPTIONS"); text != nullptr) {
    parse_options(text);
  }
  if (const char* text = environment_variable(wire::kIgnoredCallsVariable); text != nullptr) {
    read_suppression_lines(text, length(text));
  }
  if (__tsan_default_suppressions != nullptr) {
    const char* const text = __tsan_default_suppressions();
    read_suppression_lines(text, length(text));
    tell(wire::About::kSuppressions, text);
  }
}

void say_verbose() {
  if (g_options.verbosity == 0) return;
  TextBuffer<256> line;
  line.add("libredflag checks process ").add_number(pid());
  line.add(": history ").add_number(g_options.history);
  say(line.add(", exit status ").add_number(g_options.exit_status).text());
}

// A debugger is attached meanwhile, and calls __tsan_resume().
void wait_for_resume() {
  if (!g_options.stop_on_start) return;
  TextBuffer<128> line;
  line.add("process ").add_number(pid()).add(" waits: call __tsan_resume() in a debugger");
  say(line.text());
  while (__tsan_resumed.load(std::memory_order_acquire) == 0) live::os_nap(10'000'000);
}

void start() {
  read_options();
  say_verbose();
  wait_for_resume();
  sampling_begin(g_options.sampling);
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
  if (g_options.strong_atomics) g_runtime.strong_atomics = true;
  main->live = d.create(nullptr, main->number);
  main->live->owner = main;
  start_checking(*main->live);
  take_over(*main);
  record_stack(*main);
  g_runtime.ready.store(true, std::memory_order_release);
  greet();
  if (__tsan_on_initialize != nullptr) __tsan_on_initialize();
}

}  // namespace

void ensure_ready() {
  if (g_runtime.ready.load(std::memory_order_acquire)) return;
  static std::atomic<bool> starting{false};
  if (starting.exchange(true)) return;
  start();
}

namespace {

// Other threads may race with the end of the program, when they get the time.
void wait_at_exit() {
  std::uint32_t running = 0;
  {
    const live::Guard guard(g_runtime.threads_lock);
    for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) running += t->running;
  }
  if (running < 2) return;
  for (std::uint32_t ms = 0; ms < g_options.exit_sleep_ms; ++ms) live::os_nap(1'000'000);
}

// Zero keeps the program's own status.
int status_at_exit(int status) {
  bool failed = g_runtime.findings.load() != 0;
  if (__tsan_on_finalize != nullptr) failed = __tsan_on_finalize(failed ? 1 : 0) != 0;
  return failed && g_options.exit_status != 0 ? static_cast<int>(g_options.exit_status) : status;
}

}  // namespace

bool conclude(int status) {
  if (!g_runtime.ready.load(std::memory_order_acquire)) return false;
  if (Thread* const t = self(); t != nullptr) close_descriptors(*t);
  report_leaks();
  if (g_runtime.finished.exchange(true)) return false;
  record_end();
  if (const std::uint32_t found = between_finish(); found != kNotAsked) {
    g_runtime.findings.store(found, std::memory_order_relaxed);
  }
  wire::Bye bye;
  bye.status = static_cast<std::uint32_t>(status);
  bye.sweeps = g_runtime.detector.sweeps.load();
  bye.history_bytes = g_runtime.detector.history_bytes();
  bye.shadow_bytes = g_runtime.detector.shadow_bytes();
  {
    const live::Guard guard(g_runtime.threads_lock);
    for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
      if (t->live != nullptr) bye.slow_accesses += t->live->slow_accesses;
    }
  }
  bye.sampled_regions = sampled_regions();
  bye.sampled_checks = sampled_checks();
  bye.unknown_threads = g_runtime.unknown_threads.load(std::memory_order_relaxed);
  say_goodbye(bye);
  return true;
}

int finish(int status) {
  if (g_runtime.ready.load() && !g_runtime.finished.load()) wait_at_exit();
  return conclude(status) ? status_at_exit(status) : status;
}

// The world stands still while the process forks, so that the child finds everything whole.
void fork_before() {
  hold_fork_before();
  if (g_runtime.ready.load() && g_hot.thread != nullptr) {
    between_fork_before(of(*g_hot.thread));
  }
  if (!g_runtime.ready.load()) return;
  hold_source();
  g_runtime.detector.world.stop(g_hot.thread);
}
void fork_after_in_parent() {
  if (!g_runtime.ready.load()) return;
  g_runtime.detector.world.resume(g_hot.thread);
  free_source();
}
void fork_after_in_child() {
  if (!g_runtime.ready.load()) return;
  free_source();
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
