// A complex number of sixteen bytes is handed over through a barrier.
#include <complex.h>

#include "order.h"

double complex z;
pthread_barrier_t barrier;

static void* writer(void* unused) {
  z = 1.0 + 2.0 * I;
  order_reached(1);
  pthread_barrier_wait(&barrier);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  pthread_barrier_wait(&barrier);
  double part = cimag(z);
  USE_OBJECT(part);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  in_two_threads(writer, reader);
  return 0;
}
