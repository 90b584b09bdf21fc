// A grandchild is joined by its parent, which is joined by the main thread.
#include "order.h"

pthread_t grandchild;
int result;

static void* young(void* unused) {
  result = 1;
  order_reached(1);
  return unused;
}

static void* parent(void* unused) {
  pthread_create(&grandchild, NULL, young, NULL);
  pthread_join(grandchild, NULL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, parent, NULL);
  pthread_join(thread, NULL);
  result++;
  return 0;
}
