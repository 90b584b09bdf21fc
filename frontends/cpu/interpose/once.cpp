// Things done once: pthread_once, C11 call_once (std::call_once uses the former) and the guards of
// function-local statics.
//
// What the routine did happens before everybody's return from the call. The program's routine runs
// with no LibraryCall of ours around it: it may throw, and then the next caller tries again, after
// what the first one did. We have no exceptions to catch that with; the routine is called from a few
// lines of assembly whose frame has a personality of its own. The unwinder calls it as it passes, and
// that is all we need.
//
// The guards are done here and not passed on: the C++ library may be linked statically, and the
// compiler's quick test is an acquire load of the guard's first byte, which the runtime sees as any
// atomic load of that address; so the release must be to that address.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

extern "C" {
// Hooks that a program may define, by the names that it gives them (of namespace __tsan).
__attribute__((weak)) void potentially_blocking_begin() __asm__(
    "_ZN6__tsan32OnPotentiallyBlockingRegionBeginEv");
__attribute__((weak)) void potentially_blocking_end() __asm__(
    "_ZN6__tsan30OnPotentiallyBlockingRegionEndEv");
}

namespace redflag::interpose {
namespace {

// A routine that is to run, or runs; then the ones it runs in are behind it.
struct Run {
  pthread_once_t* once;
  void (*routine)();
  const Run* outer;
};
thread_local Run next_run;
thread_local const Run* innermost_run = nullptr;

void leave_run() {
  const Run* const run = innermost_run;
  innermost_run = run->outer;
  if (rt::Thread* const t = rt::self()) rt::release(*t, key_of(run->once));
}

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) void redflag_call_routine(void (*routine)());

// Of the Itanium C++ ABI: what the unwinder is about, and its answer "nothing for me here".
__attribute__((visibility("hidden"), used)) int redflag_routine_personality(int, int actions,
                                                                            std::uint64_t, void*,
                                                                            void*) {
  constexpr int kCleanupPhase = 2;
  constexpr int kContinueUnwind = 8;
  if ((actions & kCleanupPhase) != 0) leave_run();
  return kContinueUnwind;
}
}

// The encoding 0x1b: four bytes, relative to where they stand.
__asm__(
    ".pushsection .text\n"
    ".hidden redflag_call_routine\n"
    ".globl redflag_call_routine\n"
    ".type redflag_call_routine, @function\n"
    "redflag_call_routine:\n"
    "  .cfi_startproc\n"
    "  .cfi_personality 0x1b, redflag_routine_personality\n"
    "  subq $8, %rsp\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  call *%rdi\n"
    "  addq $8, %rsp\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size redflag_call_routine, .-redflag_call_routine\n"
    ".popsection\n");

namespace {

void start_next_run() {
  Run mine = next_run;
  mine.outer = innermost_run;
  innermost_run = &mine;
  // One that threw may have been here before.
  if (rt::Thread* const t = rt::self()) rt::acquire(*t, key_of(mine.once));
  redflag_call_routine(mine.routine);
  leave_run();
}

REDFLAG_REAL_SLOT(syscall, nullptr)

// The word of a guard: bit 0 (the first byte, which the compiler tests) done; then ours.
constexpr std::uint32_t kDone = 1;
constexpr std::uint32_t kRunning = 1u << 16;
constexpr std::uint32_t kAwaited = 1u << 17;

long futex(std::uint32_t* word, int operation, std::uint32_t value) {
  return reinterpret_cast<long (*)(long, ...)>(real_syscall.get())(SYS_futex, word, operation,
                                                                   value, nullptr, nullptr, 0);
}

void leave_guard(std::uint32_t* guard, std::uint32_t state) {
  const std::uint32_t was = __atomic_exchange_n(guard, state, __ATOMIC_ACQ_REL);
  if ((was & kAwaited) != 0) futex(guard, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

}  // namespace

REDFLAG_INTERCEPT(int, pthread_once, pthread_once_t* once, void (*routine)()) {
  next_run = {once, routine, nullptr};
  const int result = REDFLAG_REAL(pthread_once)(once, &start_next_run);
  REDFLAG_CALL(pthread_once);
  if (call && result == 0) rt::acquire(*call.thread, key_of(once));
  return result;
}

REDFLAG_INTERCEPT(void, call_once, pthread_once_t* once, void (*routine)()) {
  next_run = {once, routine, nullptr};
  REDFLAG_REAL(pthread_once)(once, &start_next_run);
  REDFLAG_CALL(call_once);
  if (call) rt::acquire(*call.thread, key_of(once));
}

namespace {

// Schedulers of coroutines ask to be told when a thread may block on a guard.
class MayBlock {
 public:
  MayBlock() {
    if (&potentially_blocking_begin != nullptr) potentially_blocking_begin();
  }
  ~MayBlock() {
    if (&potentially_blocking_end != nullptr) potentially_blocking_end();
  }
};

}  // namespace

REDFLAG_EXPORT(int, __cxa_guard_acquire, std::uint32_t* guard) {
  const MayBlock may_block;
  REDFLAG_CALL(__cxa_guard_acquire);
  for (;;) {
    std::uint32_t state = __atomic_load_n(guard, __ATOMIC_ACQUIRE);
    if ((state & kDone) != 0) {
      if (call) rt::acquire(*call.thread, key_of(guard));
      return 0;
    }
    if (state == 0) {
      if (__atomic_compare_exchange_n(guard, &state, kRunning, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
        // One whose constructor threw may have been here before.
        if (call) rt::acquire(*call.thread, key_of(guard));
        return 1;
      }
      continue;
    }
    if ((state & kAwaited) == 0 &&
        !__atomic_compare_exchange_n(guard, &state, state | kAwaited, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    futex(guard, FUTEX_WAIT_PRIVATE, kRunning | kAwaited);
  }
}

REDFLAG_EXPORT(void, __cxa_guard_release, std::uint32_t* guard) {
  REDFLAG_CALL(__cxa_guard_release);
  if (call) rt::release_store(*call.thread, key_of(guard));
  leave_guard(guard, kDone);
}

REDFLAG_EXPORT(void, __cxa_guard_abort, std::uint32_t* guard) {
  REDFLAG_CALL(__cxa_guard_abort);
  if (call) rt::release_store(*call.thread, key_of(guard));
  leave_guard(guard, 0);
}

}  // namespace redflag::interpose
