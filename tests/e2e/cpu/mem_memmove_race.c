// memmove shifts an array while another thread reads an element that moves.
#include <string.h>

#include "order.h"

long values[64];
size_t count = 60;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* shift(void* unused) {
  pthread_mutex_lock(&lock);
  memmove(values, values + 1, count * sizeof *values);  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(values[10]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(shift, reader);
  return 0;
}
