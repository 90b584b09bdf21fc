// A process-shared semaphore is posted before the data is written.
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  sem_t ready;
  int value;
  volatile int step;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&shared->ready, 1, 0);
  pid_t child = fork();
  if (child == 0) {
    sem_post(&shared->ready);
    shared->value = 1;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  sem_wait(&shared->ready);
  order_await_at(&shared->step, 1);
  shared->value++;  // RACE
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
