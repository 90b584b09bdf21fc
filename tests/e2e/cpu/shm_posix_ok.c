// Two processes open the same POSIX shared memory, and a named semaphore orders them.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int before;
  int value;
  volatile int step;
};

static struct Shared* open_it(const char* name) {
  int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 8192) != 0) return NULL;
  struct Shared* shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return shared;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/redflag-e2e-%d", (int)getpid());
  sem_t* ready = sem_open(name, O_CREAT, 0600, 0);
  if (ready == SEM_FAILED) return 1;
  pid_t child = fork();
  // Each at its own address: the child maps something else first.
  if (child == 0) mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct Shared* shared = open_it(name);
  if (shared == NULL) return 1;
  if (child == 0) {
    shared->value = 1;
    sem_post(ready);
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  sem_wait(ready);
  order_await_at(&shared->step, 1);
  shared->value++;
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  sem_close(ready);
  sem_unlink(name);
  shm_unlink(name);
  return 0;
}
