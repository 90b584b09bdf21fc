// Two threads each think they must free a block that one of them still reads.
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

struct Block {
  atomic_int owners;
  int value;
};
struct Block* block;

static void drop(void) {
  free(block);  // RACE
}

static void* first(void* unused) {
  int value = block->value;  // RACE
  USE(value);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
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
