// Both threads are joined before their results are used.
#include "order.h"

int results[2];

static void* first(void* unused) {
  results[0] = 1;
  return unused;
}

static void* second(void* unused) {
  results[1] = 1;
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  order_await(1);
  pthread_join(b, NULL);
  results[1]++;
  results[0]++;
  return 0;
}
