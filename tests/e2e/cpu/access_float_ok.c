// Two threads write and read a variable of a float under a mutex.
#include "order.h"

float place;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* writer(void* unused) {
  pthread_mutex_lock(&lock);
  place = 1.5f;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  float copy = place;
  pthread_mutex_unlock(&lock);
  USE_OBJECT(copy);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
