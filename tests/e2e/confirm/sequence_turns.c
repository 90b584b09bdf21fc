// Two threads take turns by a sequence number: even numbers are the first one's, odd ones the other's.
#include <stdatomic.h>

#include "two.h"

atomic_uint sequence;
int table[4];

static void body(int number) {
  for (unsigned i = 0; i < 20; i++) {
    unsigned mine = 2 * i + (unsigned)number;
    while (atomic_load_explicit(&sequence, memory_order_acquire) != mine) sched_yield();
    table[i % 4] += number + 1;
    atomic_store_explicit(&sequence, mine + 1, memory_order_release);
  }
}

int main(void) {
  in_threads(2, body);
  return table[0] == 15 ? 0 : 1;
}
