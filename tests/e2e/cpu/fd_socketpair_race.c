// A message through a socket does not order what the receiver did before.
#include <sys/socket.h>

#include "order.h"

int ends[2], data;

static void* left(void* unused) {
  char byte = 1;
  recv(ends[0], &byte, 1, 0);
  order_await(1);
  data = 3;  // RACE
  return unused;
}

static void* right(void* unused) {
  char byte = 2;
  send(ends[1], &byte, 1, 0);
  data = 2;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  in_two_threads(left, right);
  return 0;
}
