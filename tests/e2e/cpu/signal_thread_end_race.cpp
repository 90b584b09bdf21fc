// Threads come and go while a timer's signal arrives all the time: also before a thread is known, and when it is known no
// more. The handler's accesses then belong to nobody. What the threads themselves do is still checked.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>

static volatile sig_atomic_t limit = 1;
static long table[64];
static int counted;

static void on_timer(int) {
  long sum = 0;
  for (int i = 0; i < 64; ++i) sum += table[i] * limit;
  if (sum != 0) _Exit(1);
}

static void* count(void*) {
  ++counted;  // RACE
  return nullptr;
}

int main() {
  struct sigaction action = {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGPROF, &action, nullptr) != 0) return 1;
  itimerval often = {{0, 50}, {0, 50}};
  if (setitimer(ITIMER_PROF, &often, nullptr) != 0) return 1;
  for (int i = 0; i < 3000; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, count, nullptr) != 0) return 1;
    if (i == 2999) ++counted;  // RACE
    pthread_join(thread, nullptr);
  }
  itimerval never = {};
  setitimer(ITIMER_PROF, &never, nullptr);
  std::puts("done");
}
