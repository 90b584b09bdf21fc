// Blocks from each of the aligned allocation functions are used and freed in order.
#include <malloc.h>
#include <stdlib.h>

#include "order.h"

void* block;

static void* reader(void* unused) {
  ((long*)block)[1]++;
  order_reached(1);
  return unused;
}

static void* freer(void* unused) {
  order_await(1);
  return unused;
}

int main(void) {
  for (int kind = 0; kind < 5; kind++) {
    if (kind == 0 && posix_memalign(&block, 256, 512) != 0) return 1;
    if (kind == 1) block = aligned_alloc(64, 512);
    if (kind == 2) block = memalign(128, 512);
    if (kind == 3) block = valloc(512);
    if (kind == 4) block = pvalloc(512);
    if (malloc_usable_size(block) < 512) return 2;
    ((long*)block)[1] = 1;
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    free(block);
  }
  (void)freer;
  return 0;
}
