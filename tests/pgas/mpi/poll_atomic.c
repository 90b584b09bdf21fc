// ranks: 2
// Polling with atomic loads, without a call: the value comes, but nothing is ordered by it.
// rule: rma-polling
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    RIGHT(tell(1));
  } else {
    RIGHT(hear(0));
    while (__atomic_load_n(&memory[0], __ATOMIC_ACQUIRE) == 0) sched_yield();  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
