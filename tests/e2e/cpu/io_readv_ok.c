// readv fills two buffers that belong to its thread; pread fills another.
#include <sys/uio.h>
#include <unistd.h>

#include "order.h"

char head[4], body[16];
char spare[16];
int ends[2];

static void* reader(void* unused) {
  struct iovec parts[2] = {{head, 4}, {body, 8}};
  if (readv(ends[0], parts, 2) != 12) return NULL;
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  order_await(1);
  spare[7] = 1;
  body[8] = 1;
  return unused;
}

int main(void) {
  if (pipe(ends) != 0 || write(ends[1], "0123456789abcdef", 16) != 16) return 1;
  in_two_threads(reader, other);
  return 0;
}
