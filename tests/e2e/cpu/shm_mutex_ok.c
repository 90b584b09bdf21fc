// Two processes hold the same process-shared mutex.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_mutex_t locks[2];
  int value;
  volatile int step;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  for (int i = 0; i < 2; ++i) pthread_mutex_init(&shared->locks[i], &kind);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&shared->locks[0]);
    shared->value++;
    pthread_mutex_unlock(&shared->locks[0]);
    order_reached_at(&shared->step, 1);
    return 0;
  }
  order_await_at(&shared->step, 1);
  pthread_mutex_lock(&shared->locks[0]);
  shared->value++;
  pthread_mutex_unlock(&shared->locks[0]);
  waitpid(child, NULL, 0);
  return 0;
}
