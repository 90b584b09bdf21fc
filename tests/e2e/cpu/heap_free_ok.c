// A block is freed after the thread that writes to it was joined.
#include <stdlib.h>

#include "order.h"

static void* writer(void* block) {
  ((char*)block)[5] = 1;
  order_reached(1);
  return NULL;
}

int main(void) {
  char* block = malloc(64);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, block);
  order_await(1);
  pthread_join(thread, NULL);
  free(block);
  return 0;
}
