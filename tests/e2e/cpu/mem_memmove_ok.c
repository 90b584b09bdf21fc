// memmove shifts an array under the lock that readers take.
#include <string.h>

#include "order.h"

long values[64];
size_t count = 60;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* shift(void* unused) {
  pthread_mutex_lock(&lock);
  memmove(values, values + 1, count * sizeof *values);
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  USE(values[10]);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(shift, reader);
  return 0;
}
