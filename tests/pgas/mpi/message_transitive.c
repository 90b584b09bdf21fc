// ranks: 3
// From rank 0 to rank 2 over rank 1, which has nothing to do with it.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(2, 0);  // RACE
    MPI_Win_flush(2, window);
    tell(1);
  } else if (rank == 1) {
    RIGHT(hear(0));
    tell(2);
    RACY(hear(0));
  } else {
    hear(1);
    use(memory[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
