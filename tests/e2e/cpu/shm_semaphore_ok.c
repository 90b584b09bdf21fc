// A process-shared semaphore hands data from one process to another.
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
    shared->value = 1;
    sem_post(&shared->ready);
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  sem_wait(&shared->ready);
  shared->value++;
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
