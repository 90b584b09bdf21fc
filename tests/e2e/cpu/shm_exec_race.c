// A program that was started anew maps the same file, and is waited for too late.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

static struct Shared* open_it(const char* name) {
  int fd = open(name, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return NULL;
  struct Shared* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return shared;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    struct Shared* shared = open_it(argv[1]);
    if (shared == NULL) return 1;
    order_await_at(&shared->step, 1);
    shared->value = 1;  // RACE
    order_reached_at(&shared->step, 2);
    return 0;
  }
  const char* name = "shared";
  struct Shared* shared = open_it(name);
  if (shared == NULL) return 1;
  pid_t child = fork();
  if (child == 0) {
    execl(argv[0], argv[0], name, NULL);
    _exit(127);
  }
  order_reached_at(&shared->step, 1);
  order_await_at(&shared->step, 2);
  shared->value++;  // RACE
  waitpid(child, NULL, 0);
  return 0;
}
