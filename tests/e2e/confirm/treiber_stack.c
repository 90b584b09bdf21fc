// Blocks change hands through a lock-free stack: whoever pops one owns it.
#include <stdatomic.h>

#include "two.h"

struct block {
  struct block* next;
  int uses;
};
struct block blocks[4];
_Atomic(struct block*) top;

static void push(struct block* one) {
  struct block* seen = atomic_load_explicit(&top, memory_order_relaxed);
  do {
    one->next = seen;
  } while (!atomic_compare_exchange_weak_explicit(&top, &seen, one, memory_order_release,
                                                  memory_order_relaxed));
}

// All of it at once: popping one by one would need more than one word against reuse.
static struct block* take_all(void) {
  return atomic_exchange_explicit(&top, NULL, memory_order_acquire);
}

static void body(int number) {
  (void)number;
  for (int i = 0; i < 20; i++) {
    for (struct block* one = take_all(); one != NULL;) {
      struct block* next = one->next;
      one->uses++;
      push(one);
      one = next;
    }
    sched_yield();
  }
}

int main(void) {
  for (int i = 0; i < 4; i++) push(&blocks[i]);
  in_threads(2, body);
  return 0;
}
