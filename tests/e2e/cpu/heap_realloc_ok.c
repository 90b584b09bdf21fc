// realloc moves a block under the mutex that its users take.
#include <stdlib.h>

#include "order.h"

int* values;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* user(void* unused) {
  pthread_mutex_lock(&lock);
  values[3] = 1;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* grower(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  values = realloc(values, 1 << 20);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  values = malloc(64);
  int* unused = malloc(64);
  in_two_threads(user, grower);
  values[3]++;
  free(values);
  free(unused);
  return 0;
}
