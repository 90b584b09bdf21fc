// A process goes on after it has closed the pipe whose end the other waits for.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

int main(void) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    close(ends[1]);
    shared->value = 1;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  close(ends[1]);
  char byte = 0;
  if (read(ends[0], &byte, 1) != 0) return 1;
  order_await_at(&shared->step, 1);
  shared->value++;  // RACE
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
