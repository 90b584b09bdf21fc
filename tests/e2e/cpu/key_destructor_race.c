// A thread-specific value's destructor runs in its thread and races with the main thread.
#include <stdlib.h>

#include "order.h"

pthread_key_t key;
int destroyed;

static void destroy(void* value) {
  destroyed = *(int*)value;  // RACE
  free(value);
  order_reached(1);
}

static void* body(void* unused) {
  int* value = malloc(sizeof *value);
  *value = 7;
  pthread_setspecific(key, value);
  return pthread_getspecific(key) == value ? unused : value;
}

int main(void) {
  pthread_key_create(&key, destroy);
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  USE(destroyed);  // RACE
  pthread_join(thread, NULL);
  pthread_key_delete(key);
  return 0;
}
