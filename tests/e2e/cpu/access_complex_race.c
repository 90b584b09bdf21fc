// A complex number of sixteen bytes is written while its imaginary part is read.
#include <complex.h>

#include "order.h"

double complex z;
pthread_barrier_t barrier;

static void* writer(void* unused) {
  z = 1.0 + 2.0 * I;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  double part = cimag(z);  // RACE
  USE_OBJECT(part);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  in_two_threads(writer, reader);
  return 0;
}
