// A child waits for its own child, and the parent for it.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

int main(void) {
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared->value = 1;
  pid_t child = fork();
  if (child == 0) {
    pid_t grandchild = fork();
    if (grandchild == 0) {
      shared->value = 2;
      order_reached_at(&shared->step, 1);
      return 0;
    }
    waitpid(grandchild, NULL, 0);
    return 0;
  }
  waitpid(child, NULL, 0);
  order_await_at(&shared->step, 1);
  shared->value = 3;
  return 0;
}
