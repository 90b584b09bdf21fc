// After fork, parent and child write their own copies of memory.
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int shared;

int main(void) {
  pid_t child = fork();
  for (int i = 0; i < 1000; i++) shared += i;
  if (child == 0) _exit(shared == 499500 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
