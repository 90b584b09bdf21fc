// Processes that share memory: a release store and an acquire load publish.
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  atomic_int ready, leave;
  int value;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  if (child == 0) {
    shared->value = 1;
    atomic_store_explicit(&shared->ready, 1, memory_order_release);
    while (!atomic_load_explicit(&shared->leave, memory_order_relaxed)) sched_yield();
    return 0;
  }
  while (!atomic_load_explicit(&shared->ready, memory_order_acquire)) sched_yield();
  shared->value++;
  atomic_store_explicit(&shared->leave, 1, memory_order_relaxed);
  waitpid(child, NULL, 0);
  return 0;
}
