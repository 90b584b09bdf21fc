// C11 threads and mutexes of each kind: lock, trylock and timedlock.
#include <threads.h>
#include <time.h>

#include "order.h"

mtx_t lock;
int counter;

static int first(void* unused) {
  mtx_lock(&lock);
  counter++;
  mtx_unlock(&lock);
  order_reached(1);
  return unused != NULL;
}

static int second(void* unused) {
  order_await(1);
  while (mtx_trylock(&lock) != thrd_success) thrd_yield();
  struct timespec when;
  timespec_get(&when, TIME_UTC);
  when.tv_sec += 10;
  mtx_timedlock(&lock, &when);
  counter++;
  mtx_unlock(&lock);
  mtx_unlock(&lock);
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
