// One thread sums up a field of all structs while another writes it.
// FLAGS: -O3 -ffast-math
#include "order.h"

struct pair {
  float x, y;
};
struct pair pairs[256];
long count = 256;
float sum;

__attribute__((noinline)) static float sum_of(const struct pair* p, long n) {
  float s = 0;
  for (long i = 0; i < n; ++i) s += p[i].x;  // RACE
  return s;
}

static void* worker(void* unused) {
  sum = sum_of(pairs, count);
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  order_await(1);
  for (long i = 0; i < count; ++i) pairs[i].x = 1;  // RACE
  pthread_join(thread, NULL);
  return 0;
}
