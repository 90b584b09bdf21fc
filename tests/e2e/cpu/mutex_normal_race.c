// One thread takes the mutex, the other forgets to.
#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  counter++;  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  counter++;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
