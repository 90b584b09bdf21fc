// A stop flag that is a plain variable: the loop's read races with the write.
#include <sched.h>

#include "order.h"

int stop;
int rounds;

static void* worker(void* unused) {
  do {
    rounds++;
    order_reached(1);
    order_await(2);
  } while (!stop);  // RACE
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  order_await(1);
  stop = 1;  // RACE
  order_reached(2);
  pthread_join(thread, NULL);
  return rounds > 0 ? 0 : 1;
}
