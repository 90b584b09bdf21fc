// Inlined at -O2: the report still names the lines of the inlined accesses.
// FLAGS: -O2
#include "order.h"

struct Stats {
  long count, sum;
} stats;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline void add(struct Stats* to, long value) {
  to->sum += value;  // RACE
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
  USE(stats.sum);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
