// A token goes around; whoever has it may write the record.
#include <stdatomic.h>

#include "two.h"

enum { kThreads = 4 };
atomic_int holder;
struct {
  int last;
  int count;
} record;

static void body(int number) {
  for (int i = 0; i < 8; i++) {
    while (atomic_load_explicit(&holder, memory_order_acquire) != number) sched_yield();
    record.last = number;
    record.count++;
    atomic_store_explicit(&holder, (number + 1) % kThreads, memory_order_release);
  }
}

int main(void) {
  in_threads(kThreads, body);
  return record.count == 32 ? 0 : 1;
}
