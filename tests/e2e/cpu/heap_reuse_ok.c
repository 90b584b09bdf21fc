// Blocks that go from thread to thread through the allocator carry no history.
#include <stdlib.h>

#include "order.h"

static void* first(void* unused) {
  for (int i = 0; i < 2000; i++) {
    size_t words = 1 + i % 32;
    long* block = malloc(words * sizeof(long));
    for (size_t j = 0; j < words; j++) block[j] = i;
    USE_OBJECT(*block);
    free(block);
  }
  return unused;
}

static void* second(void* unused) {
  return first(unused);
}

int main(void) {
  for (int round = 0; round < 8; round++) in_two_threads(first, second);
  return 0;
}
