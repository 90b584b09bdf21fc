// A child process answers through a pipe.
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int shared;

static void* first(void* unused) {
  shared = 1;
  order_reached(1);
  return unused;
}

int main(void) {
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) return 1;
  if (fork() == 0) {
    if (read(ends[0], &byte, 1) != 1) return 1;
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    pthread_join(thread, NULL);
    return 0;
  }
  shared = 5;
  if (write(ends[1], &byte, 1) != 1) return 1;
  int status = 0;
  wait(&status);
  return WEXITSTATUS(status);
}
