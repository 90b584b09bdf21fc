// Parent and child write shared anonymous memory with nothing between them.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_mutex_t lock;
  int value;
  volatile int step;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &kind);
  pid_t child = fork();
  if (child == 0) {
    shared->value++;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  order_await_at(&shared->step, 1);
  shared->value++;  // RACE
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
