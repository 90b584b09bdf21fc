// A child process is told to go on by a pipe, and its two threads race.
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
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) return 1;
  if (fork() == 0) {
    if (read(ends[0], &byte, 1) != 1) return 1;
    in_two_threads(first, second);
    return 0;
  }
  shared = 5;
  if (write(ends[1], &byte, 1) != 1) return 1;
  int status = 0;
  wait(&status);
  return WEXITSTATUS(status);
}
