// The entry of a closed descriptor is used once more, after another thread got its number.
#include <fcntl.h>
#include <unistd.h>

#include "order.h"

int uses[64];
static int number;

static void* first(void* unused) {
  const int fd = open("/dev/null", O_RDONLY);
  number = fd;
  close(fd);
  order_reached(1);
  order_await(2);
  uses[fd] = 1;  // RACE
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  const int fd = open("/dev/null", O_RDONLY);
  uses[fd] = 2;  // RACE
  order_reached(2);
  close(fd);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
