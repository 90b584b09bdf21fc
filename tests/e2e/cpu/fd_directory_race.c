// A descriptor is used by one thread, and closed by another that did not wait for it.
#include <fcntl.h>
#include <unistd.h>

#include "order.h"

static int fd;

static void* user(void* unused) {
  char byte;
  if (read(fd, &byte, 1) != 0) return &fd;  // RACE
  order_reached(1);
  return unused;
}

static void* closer(void* unused) {
  order_await(1);
  close(fd);  // RACE
  return unused;
}

int main(void) {
  fd = open("/dev/null", O_RDONLY);
  in_two_threads(user, closer);
  return 0;
}
