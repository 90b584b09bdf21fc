// A queue lock: each thread spins on a node of its own.
#include <stdatomic.h>

#include "two.h"

struct waiter {
  _Atomic(struct waiter*) next;
  atomic_int blocked;
};
_Atomic(struct waiter*) last;
long counter;

static void body(int number) {
  (void)number;
  struct waiter me;
  for (int i = 0; i < 10; i++) {
    atomic_store_explicit(&me.next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me.blocked, 1, memory_order_relaxed);
    struct waiter* before = atomic_exchange_explicit(&last, &me, memory_order_acq_rel);
    if (before != NULL) {
      atomic_store_explicit(&before->next, &me, memory_order_release);
      while (atomic_load_explicit(&me.blocked, memory_order_acquire)) sched_yield();
    }
    counter++;
    struct waiter* after = atomic_load_explicit(&me.next, memory_order_acquire);
    if (after == NULL) {
      struct waiter* mine = &me;
      if (atomic_compare_exchange_strong_explicit(&last, &mine, NULL, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
        continue;
      }
      while ((after = atomic_load_explicit(&me.next, memory_order_acquire)) == NULL) sched_yield();
    }
    atomic_store_explicit(&after->blocked, 0, memory_order_release);
  }
}

int main(void) {
  in_threads(3, body);
  return counter == 30 ? 0 : 1;
}
