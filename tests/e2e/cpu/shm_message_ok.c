// A message to another process says that shared memory is ready.
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

struct Message {
  long type;
  char text[8];
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  struct Message message = {1, "ready"};
  pid_t child = fork();
  if (child == 0) {
    shared->value = 1;
    if (msgsnd(queue, &message, sizeof message.text, 0) != 0) return 1;
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  if (msgrcv(queue, &message, sizeof message.text, 0, 0) < 0) return 1;
  order_await_at(&shared->step, 1);
  shared->value++;
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  msgctl(queue, IPC_RMID, NULL);
  return 0;
}
