// Ten thousand blocks are allocated by one thread and freed by another, over and over.
#include <stdlib.h>

#include "order.h"

enum { kBlocks = 10000 };
static char* blocks[kBlocks];

static void* make(void* unused) {
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(1 + i % 100);
    blocks[i][0] = 1;
  }
  return unused;
}

static void* drop(void* unused) {
  for (int i = 0; i < kBlocks; i++) free(blocks[i]);
  return unused;
}

int main(void) {
  for (int round = 0; round < 4; round++) {
    pthread_t thread;
    pthread_create(&thread, NULL, make, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, drop, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}
