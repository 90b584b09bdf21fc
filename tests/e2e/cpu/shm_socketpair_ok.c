// A byte through a socket pair says that shared memory is ready.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

int main(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  struct Shared* shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    close(ends[0]);
    shared->value = 1;
    if (write(ends[1], &byte, 1) != 1) return 1;
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  close(ends[1]);
  if (read(ends[0], &byte, 1) != 1) return 1;
  order_await_at(&shared->step, 1);
  shared->value++;
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
