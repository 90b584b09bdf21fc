// The mutex is held for the last statement too.
#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int length, items[8];

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  items[length] = 1;
  length++;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  USE(length);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
