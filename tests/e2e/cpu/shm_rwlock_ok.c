// A process reads under a process-shared read-write lock, another writes under it.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_rwlock_t lock;
  int value;
  volatile int step;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_rwlockattr_t kind;
  pthread_rwlockattr_init(&kind);
  pthread_rwlockattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&shared->lock, &kind);
  pid_t child = fork();
  if (child == 0) {
    pthread_rwlock_rdlock(&shared->lock);
    USE(shared->value);
    pthread_rwlock_unlock(&shared->lock);
    order_reached_at(&shared->step, 1);
    return 0;
  }
  order_await_at(&shared->step, 1);
  pthread_rwlock_wrlock(&shared->lock);
  shared->value = 1;
  pthread_rwlock_unlock(&shared->lock);
  waitpid(child, NULL, 0);
  return 0;
}
