// Processes take turns at a process-shared barrier.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_barrier_t barrier;
  int values[2];
  volatile int step;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t kind;
  pthread_barrierattr_init(&kind);
  pthread_barrierattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &kind, 2);
  pid_t child = fork();
  int me = child == 0;
  for (int round = 0; round < 3; ++round) {
    shared->values[me] = round;
    pthread_barrier_wait(&shared->barrier);
    USE(shared->values[1 - me]);
    pthread_barrier_wait(&shared->barrier);
  }
  if (me) {
    shared->values[0] = 7;
    order_reached_at(&shared->step, 1);
    pthread_barrier_wait(&shared->barrier);
    return 0;
  }
  pthread_barrier_wait(&shared->barrier);
  order_await_at(&shared->step, 1);
  USE(shared->values[0]);
  waitpid(child, NULL, 0);
  return 0;
}
