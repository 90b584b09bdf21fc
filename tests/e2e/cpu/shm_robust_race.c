// A process ends while it holds a robust mutex, and another does not wait for the mutex.
#include <errno.h>
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
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->lock, &kind);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&shared->lock);
    shared->value++;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    _exit(0);
  }
  order_await_at(&shared->step, 1);
  shared->value++;  // RACE
  order_reached_at(&shared->step, 2);
  if (pthread_mutex_lock(&shared->lock) != EOWNERDEAD) return 1;
  pthread_mutex_consistent(&shared->lock);
  pthread_mutex_unlock(&shared->lock);
  waitpid(child, NULL, 0);
  return 0;
}
