#include "frontends/cuda/watch/faults.h"

#include <csignal>
#include <cstddef>

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>

#include <atomic>

namespace redflag::watch {
namespace {

constexpr greg_t kTrapFlag = 0x100;  // EFLAGS: a trap after the next instruction
constexpr greg_t kWriteFault = 2;    // of the page fault's error code

std::atomic<Closed*> g_closed = nullptr;
struct sigaction g_before_fault;
struct sigaction g_before_trap;
// Steps of this thread that have not trapped yet; more than one when a handler of the program came between.
thread_local unsigned t_steps = 0;

using Handler = void (*)(int, siginfo_t*, void*);

void pass_on(int signal, siginfo_t* info, void* machine, const struct sigaction& before) {
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, machine);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    // The instruction is tried again, and ends the program as it would have.
    ::sigaction(signal, &before, nullptr);
  }
}

void on_fault(int signal, siginfo_t* info, void* machine) {
  greg_t* const registers = static_cast<ucontext_t*>(machine)->uc_mcontext.gregs;
  const Fault fault{.address = reinterpret_cast<std::uint64_t>(info->si_addr),
                    .wrote = (registers[REG_ERR] & kWriteFault) != 0,
                    .by_key = info->si_code == SEGV_PKUERR,
                    .key = info->si_code == SEGV_PKUERR ? info->si_pkey : 0,
                    .at = reinterpret_cast<const void*>(registers[REG_RIP]),
                    .machine = machine};
  Closed* const closed = g_closed.load(std::memory_order_acquire);
  if (closed == nullptr || !closed->open(fault)) {
    pass_on(signal, info, machine, g_before_fault);
    return;
  }
  ++t_steps;
  registers[REG_EFL] |= kTrapFlag;
}

void on_trap(int signal, siginfo_t* info, void* machine) {
  if (t_steps == 0) {
    pass_on(signal, info, machine, g_before_trap);
    return;
  }
  --t_steps;
  static_cast<ucontext_t*>(machine)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
  if (Closed* const closed = g_closed.load(std::memory_order_acquire)) closed->close_again(machine);
}

bool is_ours(const struct sigaction& action, Handler handler) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handler;
}

// `before` never becomes our own handler, which would then pass on to itself without end.
void take(int signal, Handler handler, struct sigaction& before) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  if (is_ours(now, handler)) return;
  before = now;
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  action.sa_sigaction = handler;
  ::sigaction(signal, &action, nullptr);
}

void give_back(int signal, Handler handler, const struct sigaction& before) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  if (is_ours(now, handler)) ::sigaction(signal, &before, nullptr);
}

}  // namespace

void catch_faults(Closed& closed) {
  g_closed.store(&closed, std::memory_order_release);
  take(SIGSEGV, on_fault, g_before_fault);
  take(SIGTRAP, on_trap, g_before_trap);
}

void leave_faults(Closed& closed) {
  Closed* expected = &closed;
  if (!g_closed.compare_exchange_strong(expected, nullptr)) return;
  // Handlers of others that came after may call ours: those stay, and pass everything on.
  give_back(SIGSEGV, on_fault, g_before_fault);
  give_back(SIGTRAP, on_trap, g_before_trap);
}

}  // namespace redflag::watch

#else

namespace redflag::watch {
void catch_faults(Closed&) {}
void leave_faults(Closed&) {}
}  // namespace redflag::watch

#endif
