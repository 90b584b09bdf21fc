// The end of a pipe says that a process has ended.
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
    shared->value = 1;
    return 0;
  }
  close(ends[1]);
  char byte = 0;
  if (read(ends[0], &byte, 1) != 0) return 1;
  shared->value++;
  waitpid(child, NULL, 0);
  return 0;
}
