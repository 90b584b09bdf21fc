// The data is written after a process-shared condition has told of it.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int ready;
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
  pthread_condattr_t of_condition;
  pthread_condattr_init(&of_condition);
  pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->changed, &of_condition);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&shared->lock);
    shared->ready = 1;
    pthread_cond_signal(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
    shared->value = 1;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  pthread_mutex_lock(&shared->lock);
  while (!shared->ready) pthread_cond_wait(&shared->changed, &shared->lock);
  pthread_mutex_unlock(&shared->lock);
  order_await_at(&shared->step, 1);
  shared->value++;  // RACE
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
