// epoll says that a byte came; what was written after sending it is not ordered.
#include <sys/epoll.h>
#include <unistd.h>

#include "order.h"

int ends[2], poller, data;

static void* sender(void* unused) {
  if (write(ends[1], "x", 1) != 1) return NULL;
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* receiver(void* unused) {
  struct epoll_event event;
  if (epoll_wait(poller, &event, 1, 10000) != 1) return NULL;
  char byte;
  if (read(ends[0], &byte, 1) != 1) return NULL;
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event);
  in_two_threads(sender, receiver);
  return 0;
}
