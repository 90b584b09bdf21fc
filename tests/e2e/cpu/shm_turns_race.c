// Two processes take turns by an atomic counter that releases nothing.
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  atomic_int turn;
  int values[64];
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  int me = child == 0;
  for (int round = 0; round < 200; ++round) {
    while (atomic_load_explicit(&shared->turn, memory_order_acquire) % 2 != me) sched_yield();
    for (int i = 0; i < 64; ++i) shared->values[i]++;  // RACE RACE
    atomic_fetch_add_explicit(&shared->turn, 1, memory_order_relaxed);
  }
  if (!me) waitpid(child, NULL, 0);
  return 0;
}
