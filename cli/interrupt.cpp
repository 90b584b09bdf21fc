#include "cli/interrupt.h"

#include <array>
#include <atomic>

namespace redflag::cli {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
// Read by every worker and written by a handler on any of them; lock-free, so safe in a handler.
std::atomic<int> g_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note_signal(int signal) {
  g_signal.store(signal, std::memory_order_relaxed);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action{};
  action.sa_handler = note_signal;
  // SA_RESETHAND: the second one ends the process. No SA_RESTART: a read that waits wakes up.
  action.sa_flags = SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) {
    struct sigaction old{};
    // A signal that the parent ignores (nohup) stays ignored.
    if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals) {
    struct sigaction old{};
    if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler == note_signal) {
      std::signal(signal, SIG_DFL);
    }
  }
}

bool interrupted() {
  return g_signal.load(std::memory_order_relaxed) != 0;
}

void end_if_interrupted() {
  const int signal = g_signal.load(std::memory_order_relaxed);
  if (signal == 0) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace redflag::cli
