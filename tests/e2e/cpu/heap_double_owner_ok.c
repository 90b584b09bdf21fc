// Two threads share a block by counting its owners.
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

struct Block {
  atomic_int owners;
  int value;
};
struct Block* block;

static void drop(void) {
  if (atomic_fetch_sub(&block->owners, 1) != 1) return;
  free(block);
}

static void* first(void* unused) {
  int value = block->value;
  USE(value);
  drop();
  return unused;
}

static void* second(void* unused) {
  USE(block->value);
  drop();
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  block->owners = 2;
  block->value = 1;
  in_two_threads(first, second);
  return 0;
}
