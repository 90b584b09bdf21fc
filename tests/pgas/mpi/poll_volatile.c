// ranks: 2
// The same with loads of a volatile object.
// rule: rma-polling
#include "case.h"

static void test(void) {
  open_window();
  volatile int* flag = memory;
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    RIGHT(tell(1));
  } else {
    RIGHT(hear(0));
    while (*flag == 0) sched_yield();  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
