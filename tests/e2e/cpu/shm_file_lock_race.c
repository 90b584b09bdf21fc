// A process uses a mapped file after it has given up its lock of it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  int value;
  volatile int step;
};

static void lock(int fd, short type, long at) {
  struct flock what = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  if (fcntl(fd, F_SETLKW, &what) != 0) _exit(1);
}

int main(void) {
  int fd = open("shared", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
  struct Shared* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  pid_t child = fork();
  if (child == 0) {
    lock(fd, F_WRLCK, 0);
    lock(fd, F_UNLCK, 0);
    shared->value++;  // RACE
    order_reached_at(&shared->step, 1);
    order_await_at(&shared->step, 2);
    return 0;
  }
  order_await_at(&shared->step, 1);
  lock(fd, F_WRLCK, 0);
  shared->value++;  // RACE
  lock(fd, F_UNLCK, 0);
  order_reached_at(&shared->step, 2);
  waitpid(child, NULL, 0);
  return 0;
}
