// A System V segment is written after the semaphore that says it is ready.
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

static void change(int id, int by) {
  struct sembuf operation = {0, (short)by, 0};
  if (semop(id, &operation, 1) != 0) _exit(1);
}

int main(void) {
  int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  int ready = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
  struct Shared* shared = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  pid_t child = fork();
  if (child == 0) {
    change(ready, 1);
    shared->value = 1;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  change(ready, -1);
  order_await_at(&shared->step, 1);
  shared->value++;  // RACE
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  semctl(ready, 0, IPC_RMID);
  return 0;
}
