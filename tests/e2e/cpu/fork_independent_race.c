// A race among threads of a child process is reported, and its status is the child's.
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int shared;

static void* first(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  shared = 2;  // RACE
  return unused;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) {
    in_two_threads(first, second);
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
