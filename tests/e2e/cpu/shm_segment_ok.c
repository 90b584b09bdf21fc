// Parent and child attach a System V segment after the fork; the parent waits.
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

int main(void) {
  int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (id < 0) return 1;
  pid_t child = fork();
  struct Shared* shared = shmat(id, NULL, 0);
  if (shared == (void*)-1) return 1;
  if (child == 0) {
    shared->value = 1;
    order_reached_at(&shared->step, 1);
    return 0;
  }
  order_await_at(&shared->step, 1);
  waitpid(child, NULL, 0);
  shared->value++;
  shmdt(shared);
  shmctl(id, IPC_RMID, NULL);
  return 0;
}
