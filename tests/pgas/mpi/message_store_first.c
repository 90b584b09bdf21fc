// ranks: 2
// The target stores and tells; the origin may then put.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
    RIGHT(memory[0] = 1);
    tell(0);
    RACY(memory[0] = 1);  // RACE
  } else {
    hear(1);
    PUT(1, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
