// ranks: 3
// A put is not atomic towards accumulates; MPI_Accumulate with MPI_REPLACE is the put that is.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window);  // RACE
  if (rank == 2) CASE(PUT(1, 0), MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
