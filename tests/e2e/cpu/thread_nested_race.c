// A grandchild is not joined by its parent, so joining the parent does not order it.
#include "order.h"

pthread_t grandchild;
int result;

static void* young(void* unused) {
  result = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* parent(void* unused) {
  pthread_create(&grandchild, NULL, young, NULL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, parent, NULL);
  pthread_join(thread, NULL);
  order_await(1);
  result++;  // RACE
  pthread_join(grandchild, NULL);
  return 0;
}
