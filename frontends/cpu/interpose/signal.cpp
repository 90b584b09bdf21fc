// Signals: the program's handlers run inside ours.
//
// A handler may run at any instruction of the program, but not while the runtime is in the middle of
// something on that thread: its own bookkeeping would be half done when the handler's instrumented
// code arrives. Such a signal waits, with its siginfo, and is delivered as soon as the runtime is out
// again; until then more signals of the same number count as one, as for the kernel. Faults do not
// wait.
//
// What was done before sigaction happens before the handler. A handler that changes errno, or that
// calls malloc or free while it interrupts the program anywhere, is a finding; the call only if a
// function of the program itself makes it, since handlers of libraries are not the user's to change.
//
// Flags and masks are the kernel's business except in late delivery, where the mask is set by hand.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <ucontext.h>

#include <cerrno>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

constexpr int kSignals = 65;
constexpr int kUntouched = 99;  // errno during a handler: no call sets this one

using Handler = void (*)(int, siginfo_t*, void*);

// What the program asked for. Written by sigaction, read by handlers in any thread; a reader takes
// the handler once, so a change at the same time gives the old one or the new one.
struct sigaction actions[kSignals];

struct Pending {
  siginfo_t info[kSignals];
  ucontext_t context;
};
struct Waiting {
  std::uint64_t numbers;  // bit n - 1: signal n waits
  Pending* details;
};
thread_local Waiting waiting;
thread_local int depth;
thread_local std::size_t calls_below;  // of the innermost handler: the stack of calls it came upon

REDFLAG_REAL_SLOT(sigaction, nullptr)

int real_action(int number, const struct sigaction* act, struct sigaction* old) {
  return reinterpret_cast<int (*)(int, const struct sigaction*, struct sigaction*)>(
      real_sigaction.get())(number, act, old);
}

// Raised by the instruction that was interrupted, not sent.
bool is_fault(int number, const siginfo_t* info) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGSYS:
      return info == nullptr || info->si_code > 0;
    case SIGABRT:
      return true;  // the program cannot go on
    default:
      return false;
  }
}

void run_handler(int number, siginfo_t* info, void* context, bool fault) {
  const auto handler = reinterpret_cast<Handler>(
      __atomic_load_n(reinterpret_cast<void**>(&actions[number].sa_sigaction), __ATOMIC_ACQUIRE));
  if (handler == nullptr) return;  // SIG_DFL: taken back meanwhile
  const int saved = errno;
  rt::Thread* t = rt::self();
  rt::Ignoring ignoring;
  const std::size_t outer = calls_below;
  if (t != nullptr) {
    ignoring = rt::handler_begins(*t);
    rt::acquire(*t, key_of(&actions[number]));
    calls_below = rt::call_depth(*t);
  }
  if (!fault) ++depth;
  const bool quiet = set_quiet_frees(false);
  errno = kUntouched;
  handler(number, info, context);
  const int after = errno;
  set_quiet_frees(quiet);
  if (!fault) --depth;
  calls_below = outer;
  rt::Thread* const entered = t;
  t = rt::self();
  if (entered != nullptr) rt::handler_ended(*entered, ignoring);
  // Handlers of SIGTERM commonly clean up and raise it again: no sense in telling them of errno.
  if (t != nullptr && !fault && after != kUntouched && number != SIGTERM) {
    rt::misused(*t, rt::Misuse::kErrnoInSignal, reinterpret_cast<const void*>(handler),
                static_cast<std::uint32_t>(number));
  }
  errno = saved;
}

void wait_for_runtime(int number, const siginfo_t* info, const void* context) {
  if (waiting.details == nullptr) {
    waiting.details = static_cast<Pending*>(map_pages(sizeof(Pending)));
  }
  const std::uint64_t bit = 1ull << (number - 1);
  if (waiting.details != nullptr && (waiting.numbers & bit) == 0) {
    copy_bytes(&waiting.details->info[number], info, sizeof *info);
    copy_bytes(&waiting.details->context, context, sizeof(ucontext_t));
  }
  __atomic_fetch_or(&waiting.numbers, bit, __ATOMIC_RELAXED);
  rt::want_delivery();
}

void on_signal(int number, siginfo_t* info, void* context) {
  const bool fault = is_fault(number, info);
  if (!fault && rt::busy()) {
    wait_for_runtime(number, info, context);
  } else {
    run_handler(number, info, context, fault);
  }
}

void deliver() {
  const int saved = errno;
  while (const std::uint64_t numbers = __atomic_load_n(&waiting.numbers, __ATOMIC_RELAXED)) {
    const int number = __builtin_ctzll(numbers) + 1;
    siginfo_t info{};
    ucontext_t context;
    if (waiting.details != nullptr) {
      copy_bytes(&info, &waiting.details->info[number], sizeof info);
      copy_bytes(&context, &waiting.details->context, sizeof context);
    }
    sigset_t blocked = actions[number].sa_mask;
    sigset_t before;
    if ((actions[number].sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    __atomic_fetch_and(&waiting.numbers, ~(1ull << (number - 1)), __ATOMIC_RELAXED);
    run_handler(number, &info, &context, false);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  errno = saved;
}

bool is_handler(const struct sigaction& act) {
  return act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN;
}

bool comes_at_any_time(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
      return false;
    default:
      return true;
  }
}

int set_action(const rt::LibraryCall& call, int number, const struct sigaction* act,
               struct sigaction* old) {
  if (!started() || number <= 0 || number >= kSignals) return real_action(number, act, old);
  const struct sigaction before = actions[number];
  struct sigaction now{};
  if (act != nullptr) {
    now = *act;
    if (call) rt::release_store(*call.thread, key_of(&actions[number]));
    if (is_handler(*act)) {
      if (comes_at_any_time(number)) rt::handlers_installed();
      // Known before it can be called.
      actions[number] = *act;
      now.sa_sigaction = &on_signal;
      now.sa_flags |= SA_SIGINFO;
    }
  }
  struct sigaction was{};
  const int result = real_action(number, act != nullptr ? &now : nullptr, &was);
  if (result != 0) {
    actions[number] = before;
    return result;
  }
  if (old != nullptr) *old = was.sa_sigaction == &on_signal ? before : was;
  return 0;
}

using Simple = void (*)(int);

Simple set_simple(const rt::LibraryCall& call, int number, Simple handler, int flags) {
  struct sigaction act{};
  struct sigaction old{};
  act.sa_handler = handler;
  act.sa_flags = flags;
  sigemptyset(&act.sa_mask);
  if (handler == SIG_ERR || number <= 0 || number >= kSignals) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return set_action(call, number, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

}  // namespace

void start_signals() {
  rt::on_leaving(&deliver);
}

int handler_depth() {
  return depth;
}
void set_handler_depth(int now) {
  depth = now;
}

// The call's own frame is on the stack of calls, and functions of the program between it and the
// handler's beginning. A handler with none is a library's, such as MPI's of SIGTERM.
void check_signal_safe(rt::Thread& t, const void* function) {
  if (REDFLAG_LIKELY(depth == 0) || rt::call_depth(t) <= calls_below + 1) return;
  rt::misused(t, rt::Misuse::kSignalUnsafe, function);
}

void forget_pending_signals() {
  if (waiting.details != nullptr) unmap_pages(waiting.details, sizeof(Pending));
  waiting = {};
}

// `sigaction` is also the name of a type: the function has another name here, and the right symbol.
#define REDFLAG_SIGNAL(result, name, symbol, ...)                                        \
  result name(__VA_ARGS__) __asm__(symbol) __attribute__((weak, visibility("default"))); \
  result name(__VA_ARGS__)

REDFLAG_SIGNAL(int, sigaction_, "sigaction", int number, const struct sigaction* act,
               struct sigaction* old) {
  REDFLAG_CALL(sigaction_);
  if (call && act != nullptr) rt::read(*call.thread, act, sizeof *act);
  const int result = set_action(call, number, act, old);
  if (call && result == 0 && old != nullptr) rt::write(*call.thread, old, sizeof *old);
  return result;
}

REDFLAG_SIGNAL(Simple, signal, "signal", int number, Simple handler) {
  REDFLAG_CALL(signal);
  return set_simple(call, number, handler, SA_RESTART);
}

REDFLAG_SIGNAL(Simple, sysv_signal, "sysv_signal", int number, Simple handler) {
  REDFLAG_CALL(sysv_signal);
  return set_simple(call, number, handler, SA_RESETHAND | SA_NODEFER);
}

REDFLAG_SIGNAL(Simple, sysv_signal_old, "__sysv_signal", int number, Simple handler) {
  REDFLAG_CALL(sysv_signal_old);
  return set_simple(call, number, handler, SA_RESETHAND | SA_NODEFER);
}

// How many bytes the calls on masks write.
REDFLAG_INTERCEPT(int, sigprocmask, int how, const sigset_t* set, sigset_t* old) {
  REDFLAG_CALL(sigprocmask);
  const int result = REDFLAG_REAL(sigprocmask)(how, set, old);
  if (call && result == 0 && old != nullptr) rt::write(*call.thread, old, sizeof *old);
  return result;
}

REDFLAG_INTERCEPT(int, sigpending, sigset_t* set) {
  REDFLAG_CALL(sigpending);
  const int result = REDFLAG_REAL(sigpending)(set);
  if (call && result == 0) rt::write(*call.thread, set, sizeof *set);
  return result;
}

REDFLAG_INTERCEPT(int, sigwait, const sigset_t* set, int* number) {
  REDFLAG_CALL(sigwait);
  const int result = REDFLAG_REAL(sigwait)(set, number);
  if (call && result == 0) rt::write(*call.thread, number, sizeof *number);
  return result;
}

REDFLAG_INTERCEPT(int, sigwaitinfo, const sigset_t* set, siginfo_t* info) {
  REDFLAG_CALL(sigwaitinfo);
  const int result = REDFLAG_REAL(sigwaitinfo)(set, info);
  if (call && result > 0 && info != nullptr) rt::write(*call.thread, info, sizeof *info);
  return result;
}

REDFLAG_INTERCEPT(int, sigtimedwait, const sigset_t* set, siginfo_t* info, const timespec* most) {
  REDFLAG_CALL(sigtimedwait);
  const int result = REDFLAG_REAL(sigtimedwait)(set, info, most);
  if (call && result > 0 && info != nullptr) rt::write(*call.thread, info, sizeof *info);
  return result;
}

}  // namespace redflag::interpose
