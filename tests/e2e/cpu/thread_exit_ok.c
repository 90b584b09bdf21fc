// What cleanup handlers did before pthread_exit is seen by the joiner.
#include "order.h"

int cleaned;

static void clean(void* argument) {
  cleaned = *(int*)argument;
  order_reached(1);
}

static void* body(void* unused) {
  int local = 1;
  pthread_cleanup_push(clean, &local);
  pthread_exit(unused);
  pthread_cleanup_pop(0);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  cleaned++;
  return 0;
}
