// pthread_tryjoin_np and pthread_timedjoin_np order as pthread_join does.
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "order.h"

int result;

static void* body(void* unused) {
  result = 1;
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  while (pthread_tryjoin_np(thread, NULL) != 0) sched_yield();
  result++;
  pthread_create(&thread, NULL, body, NULL);
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 10;
  if (pthread_timedjoin_np(thread, NULL, &when) != 0) return 1;
  result++;
  return 0;
}
