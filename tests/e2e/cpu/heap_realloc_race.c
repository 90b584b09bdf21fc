// realloc moves a block that another thread is writing.
#include <stdlib.h>

#include "order.h"

int* values;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* user(void* unused) {
  values[3] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* grower(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  values = realloc(values, 1 << 20);  // RACE
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  values = malloc(64);
  int* unused = malloc(64);
  in_two_threads(user, grower);
  free(values);
  free(unused);
  return 0;
}
