// A race before exec in a child process does not stop the parent from being right.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int shared;

static void* body(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  shared = 2;  // RACE
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return WEXITSTATUS(status);
}
