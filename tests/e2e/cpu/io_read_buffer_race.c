// read() fills a buffer that another thread looks at.
#include <fcntl.h>
#include <unistd.h>

#include "order.h"

char buffer[64];
int ends[2];

static void* reader(void* unused) {
  if (read(ends[0], buffer, 16) != 16) return NULL;  // RACE
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  order_await(1);
  USE(buffer[15]);  // RACE
  return unused;
}

int main(void) {
  if (pipe(ends) != 0 || write(ends[1], "0123456789abcdefghij", 20) != 20) return 1;
  in_two_threads(reader, other);
  return 0;
}
