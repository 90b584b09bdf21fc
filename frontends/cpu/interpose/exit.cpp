// fork, and the ways a program ends.
//
// fork itself is glibc's: it calls us back at the right moments, and also where a library forks.
//
// Callbacks for the end of the program happen after whatever was done before they were registered:
// each is wrapped in a record that releases and acquires. `atexit` is a part of every program and
// library that calls __cxa_atexit, and so do the destructors of C++ globals.
//
// The reporter hears of the end as late as possible: after the callbacks and after the destructors of
// the program and of the libraries that use us; with _exit, just before. If races change the exit
// status, we end the process ourselves, after flushing what is buffered. Two moments matter: glibc
// tells the status to a callback registered before all others, and runs our library's destructor.
// The shared library is initialised before glibc registers the running of destructors, so its
// callback comes last; in a program with the static library the destructor does.
#include <pthread.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

extern "C" {
// These stand in stacks, under a callback and above the place that registered it; never called. The
// names are those that ThreadSanitizer's users know.
__attribute__((visibility("hidden"), used, noinline)) void at_exit_callback_installed_at() {
  __asm__ volatile("# at exit");
}
__attribute__((visibility("hidden"), used, noinline)) void cxa_at_exit_callback_installed_at() {
  __asm__ volatile("# C++ exit");
}
__attribute__((visibility("hidden"), used, noinline)) void on_exit_callback_installed_at() {
  __asm__ volatile("# on exit");
}
extern void* __dso_handle __attribute__((visibility("hidden")));
}

namespace redflag::interpose {
namespace {

int exit_status = 0;

struct Callback {
  void (*plain)(void*);
  void (*with_status)(int, void*);
  void* argument;
  std::uint32_t stack;  // where it was registered
};

// What was done before registering happens before what follows.
Callback take(void* record) {
  if (rt::Thread* const t = rt::self()) rt::acquire(*t, key_of(record));
  const Callback callback = *static_cast<Callback*>(record);
  plain_free(record);
  return callback;
}

// Shows, while it lasts, how the callback came about.
class Installed {
 public:
  Installed(std::uint32_t stack, void (*marker)()) : t_(rt::self()) {
    if (t_ == nullptr) return;
    depth_ = rt::call_depth(*t_);
    rt::push_earlier(*t_, stack, reinterpret_cast<const void*>(marker));
  }
  ~Installed() {
    if (t_ != nullptr) rt::unwind_to(*t_, depth_);
  }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;

 private:
  rt::Thread* const t_;
  std::size_t depth_ = 0;
};

void run_plain(void* record) {
  const Callback c = take(record);
  const Installed installed(c.stack, &at_exit_callback_installed_at);
  c.plain(c.argument);
}

void run_of_cxx(void* record) {
  const Callback c = take(record);
  const Installed installed(c.stack, &cxa_at_exit_callback_installed_at);
  c.plain(c.argument);
}

void run_with_status(int status, void* record) {
  const Callback c = take(record);
  const Installed installed(c.stack, &on_exit_callback_installed_at);
  c.with_status(status, c.argument);
}

Callback* record(rt::Thread& t, Callback callback) {
  auto* const r = static_cast<Callback*>(plain_malloc(sizeof(Callback)));
  if (r == nullptr) return nullptr;
  *r = callback;
  r->stack = rt::where(t);
  rt::release_store(t, key_of(r));
  return r;
}

bool status_known = false;
bool destroyed = false;

}  // namespace

REDFLAG_INTERCEPT(int, __cxa_atexit, void (*callback)(void*), void* argument, void* library) {
  REDFLAG_CALL(__cxa_atexit);
  Callback* const r = call ? record(*call.thread, {callback, nullptr, argument, 0}) : nullptr;
  if (r == nullptr) return REDFLAG_REAL(__cxa_atexit)(callback, argument, library);
  return REDFLAG_REAL(__cxa_atexit)(&run_of_cxx, r, library);
}

// A part of every program and library: only the program's own is replaced, where libredflag is linked
// statically, so that stacks show its caller.
int atexit(void (*callback)()) __asm__("atexit") __attribute__((weak, visibility("hidden")));
int atexit(void (*callback)()) {
  const auto plain = reinterpret_cast<void (*)(void*)>(callback);
  const rt::LibraryCall call(
      reinterpret_cast<const void*>(static_cast<int (*)(void (*)())>(&redflag::interpose::atexit)),
      __builtin_return_address(0));
  Callback* const r = call ? record(*call.thread, {plain, nullptr, nullptr, 0}) : nullptr;
  if (r == nullptr) return REDFLAG_REAL(__cxa_atexit)(plain, nullptr, &__dso_handle);
  return REDFLAG_REAL(__cxa_atexit)(&run_plain, r, &__dso_handle);
}

REDFLAG_INTERCEPT(int, __cxa_at_quick_exit, void (*callback)(void*), void* library) {
  REDFLAG_CALL(__cxa_at_quick_exit);
  // The callback takes no argument that could carry a record. One key for all of them.
  if (call) rt::release(*call.thread, key_of(&exit_status));
  return REDFLAG_REAL(__cxa_at_quick_exit)(callback, library);
}

REDFLAG_INTERCEPT(int, on_exit, void (*callback)(int, void*), void* argument) {
  REDFLAG_CALL(on_exit);
  Callback* const r = call ? record(*call.thread, {nullptr, callback, argument, 0}) : nullptr;
  if (r == nullptr) return REDFLAG_REAL(on_exit)(callback, argument);
  return REDFLAG_REAL(on_exit)(&run_with_status, r);
}

REDFLAG_INTERCEPT(void, _exit, int status) {
  REDFLAG_REAL(_exit)(rt::finish(status));
  __builtin_unreachable();
}

REDFLAG_INTERCEPT(void, _Exit, int status) {
  REDFLAG_REAL(_exit)(rt::finish(status));
  __builtin_unreachable();
}

namespace {

void finish_quickly(void*) {
  REDFLAG_REAL(_exit)(rt::finish(exit_status));
}

}  // namespace

REDFLAG_INTERCEPT(void, quick_exit, int status) {
  exit_status = status;
  {
    REDFLAG_CALL(quick_exit);
    if (call) rt::acquire(*call.thread, key_of(&exit_status));
  }
  REDFLAG_REAL(quick_exit)(status);
  __builtin_unreachable();
}

namespace {

thread_local bool forking = false;

void before_fork() {
  forking = rt::self() != nullptr;
  if (!forking) return;
  lock_notices();
  lock_thread_table();
  rt::fork_before();
}

void after_fork_in_parent() {
  if (!forking) return;
  rt::fork_after_in_parent();
  unlock_thread_table();
  unlock_notices();
}

void after_fork_in_child() {
  if (!forking) return;
  rt::fork_after_in_child();
  unlock_thread_table();
  unlock_notices();
}

}  // namespace

// The child of a true vfork would run instrumented code in the memory of its parent.
pid_t vfork() __asm__("vfork") __attribute__((weak, visibility("default")));
pid_t vfork() {
  return ::fork();
}

namespace {

void finish_last() {
  const int status = rt::finish(exit_status);
  if (status == exit_status) return;
  fflush(nullptr);
  REDFLAG_REAL(_exit)(status);
}

void note_status(int status, void*) {
  exit_status = status;
  status_known = true;
  if (destroyed) finish_last();
}

}  // namespace

void start_exit() {
  // Registered before all others of their kind, so run after them.
  REDFLAG_REAL(on_exit)(&note_status, nullptr);
  REDFLAG_REAL(__cxa_at_quick_exit)(&finish_quickly, nullptr);
  // Registered before the program's own: the last before fork and the first after it, so those run
  // with the runtime at work.
  pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
}

// Whichever of the two moments comes second.
__attribute__((destructor(101))) static void destroy() {
  destroyed = true;
  if (status_known) finish_last();
}

}  // namespace redflag::interpose
