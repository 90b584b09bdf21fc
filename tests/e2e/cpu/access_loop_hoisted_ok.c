// The stop flag is atomic.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

atomic_int stop;
int rounds;

static void* worker(void* unused) {
  do {
    rounds++;
    order_reached(1);
    sched_yield();
  } while (!stop);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  order_await(1);
  stop = 1;
  pthread_join(thread, NULL);
  return rounds > 0 ? 0 : 1;
}
