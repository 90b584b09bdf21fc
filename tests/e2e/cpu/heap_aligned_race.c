// A block from posix_memalign is freed while another thread reads it.
#include <malloc.h>
#include <stdlib.h>

#include "order.h"

void* block;

static void* reader(void* unused) {
  USE(((long*)block)[1]);  // RACE
  order_reached(1);
  return unused;
}

static void* freer(void* unused) {
  order_await(1);
  free(block);  // RACE
  return unused;
}

int main(void) {
  if (posix_memalign(&block, 256, 512) != 0) return 1;
  ((long*)block)[1] = 1;
  in_two_threads(reader, freer);
  return 0;
}
