// ranks: 2
// And with plain loads that the compiler may not join.
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
    while (memory[0] == 0) __asm__ volatile("" ::: "memory");  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
