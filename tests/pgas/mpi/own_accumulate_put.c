// ranks: 2
// Accumulates of one origin are ordered among themselves (accumulate_ordering), but not with its puts.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    ADD(1, 0);  // RACE
    CASE(PUT(1, 0), ADD(1, 0));  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
