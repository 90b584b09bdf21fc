// A pipeline over rows: a thread starts a row when the thread before it says that it has done it.
#include <stdatomic.h>

#include "two.h"

enum { kRows = 10, kThreads = 3 };
long rows[kRows];
atomic_int done[kThreads + 1];

static void body(int number) {
  for (int row = 0; row < kRows; row++) {
    while (number > 0 && atomic_load_explicit(&done[number], memory_order_acquire) <= row)
      sched_yield();
    rows[row] = rows[row] * 2 + number;
    atomic_store_explicit(&done[number + 1], row + 1, memory_order_release);
  }
}

int main(void) {
  in_threads(kThreads, body);
  return rows[0] == 4 ? 0 : 1;
}
