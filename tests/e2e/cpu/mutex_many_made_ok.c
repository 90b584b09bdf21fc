// Thousands of mutexes come and go, each guarding its own data.
#include <stdlib.h>

#include "order.h"

struct Guarded {
  pthread_mutex_t lock;
  int value;
};
enum { kObjects = 2000 };
struct Guarded* objects[kObjects];

static void bump(struct Guarded* lock_of, struct Guarded* object) {
  pthread_mutex_lock(&lock_of->lock);
  object->value++;
  pthread_mutex_unlock(&lock_of->lock);
}

static void* body(void* unused) {
  for (int i = 0; i < kObjects; i++) bump(objects[i], objects[i]);
  order_reached(1);
  return unused;
}

static void* other(void* unused) {
  return body(unused);
}

int main(void) {
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < kObjects; i++) {
      objects[i] = calloc(1, sizeof *objects[i]);
      pthread_mutex_init(&objects[i]->lock, NULL);
    }
    in_two_threads(body, other);
    for (int i = 0; i < kObjects; i++) {
      pthread_mutex_destroy(&objects[i]->lock);
      free(objects[i]);
    }
  }
  return 0;
}
