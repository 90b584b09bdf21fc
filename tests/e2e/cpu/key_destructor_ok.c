// What a thread-specific value's destructor did is seen after joining.
#include <stdlib.h>

#include "order.h"

pthread_key_t key;
int destroyed;

static void destroy(void* value) {
  destroyed = *(int*)value;
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
  pthread_join(thread, NULL);
  if (destroyed != 7) return 1;
  pthread_key_delete(key);
  return 0;
}
