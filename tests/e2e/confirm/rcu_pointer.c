// A configuration is replaced by publishing a new one; the old one is changed again only when its reader has left it.
#include <stdatomic.h>

#include "two.h"

struct configuration {
  int size;
  int version;
};
struct configuration copies[2];
_Atomic(struct configuration*) current = &copies[0];
atomic_int left;  // versions that the reader has left

static void writer(void) {
  for (int version = 1; version <= 10; version++) {
    struct configuration* next = &copies[version % 2];
    // Its reader was in it two versions ago.
    while (atomic_load_explicit(&left, memory_order_acquire) < version - 1) sched_yield();
    next->size = version * 10;
    next->version = version;
    atomic_store_explicit(&current, next, memory_order_release);
  }
}

static void reader(void) {
  for (int seen = 0; seen < 10;) {
    struct configuration* now = atomic_load_explicit(&current, memory_order_acquire);
    if (now->version != seen + 1) {
      sched_yield();
      continue;
    }
    if (now->size != (seen + 1) * 10) __builtin_trap();
    seen++;
    atomic_store_explicit(&left, seen, memory_order_release);
  }
}

static void body(int number) {
  number == 0 ? writer() : reader();
}

int main(void) {
  in_threads(2, body);
  return 0;
}
