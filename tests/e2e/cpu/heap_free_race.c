// A block is freed while another thread has just written to it.
#include <stdlib.h>

#include "order.h"

static void* writer(void* block) {
  ((char*)block)[5] = 1;  // RACE
  order_reached(1);
  return NULL;
}

int main(void) {
  char* block = malloc(64);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, block);
  order_await(1);
  free(block);  // RACE
  pthread_join(thread, NULL);
  return 0;
}
