// Messages go both ways through a socket pair.
#include <sys/socket.h>

#include "order.h"

int ends[2], data;

static void* left(void* unused) {
  char byte = 1;
  data = 1;
  send(ends[0], &byte, 1, 0);
  recv(ends[0], &byte, 1, 0);
  data = 3;
  return unused;
}

static void* right(void* unused) {
  char byte = 2;
  recv(ends[1], &byte, 1, 0);
  data = 2;
  send(ends[1], &byte, 1, 0);
  return unused;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  in_two_threads(left, right);
  return 0;
}
