// epoll_wait orders what was done before the byte was sent.
#include <sys/epoll.h>
#include <unistd.h>

#include "order.h"

int ends[2], poller, data;

static void* sender(void* unused) {
  data = 1;
  if (write(ends[1], "x", 1) != 1) return NULL;
  return unused;
}

static void* receiver(void* unused) {
  struct epoll_event event;
  if (epoll_wait(poller, &event, 1, 10000) != 1) return NULL;
  char byte;
  if (read(ends[0], &byte, 1) != 1) return NULL;
  USE(data);
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
