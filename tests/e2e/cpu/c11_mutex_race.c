// C11 threads: one of them takes the mutex.
#include <threads.h>
#include <time.h>

#include "order.h"

mtx_t lock;
int counter;

static int first(void* unused) {
  mtx_lock(&lock);
  counter++;  // RACE
  mtx_unlock(&lock);
  order_reached(1);
  return unused != NULL;
}

static int second(void* unused) {
  order_await(1);
  counter++;  // RACE
  return unused != NULL;
}

int main(void) {
  thrd_t a, b;
  mtx_init(&lock, mtx_timed | mtx_recursive);
  thrd_create(&a, first, NULL);
  thrd_create(&b, second, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  mtx_destroy(&lock);
  return 0;
}
