// Inlined at -O2 and clean.
// FLAGS: -O2
#include "order.h"

struct Stats {
  long count, sum;
} stats;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline void add(struct Stats* to, long value) {
  to->sum += value;
}

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  add(&stats, 3);
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  USE(stats.sum);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
