// ranks: 3
// Round a ring with one buffer: from each rank to the next, in this direction.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) PUT(0, 0);  // RACE
  MPI_Win_flush_all(window);
  const int step = CASE(2, 1);
  MPI_Sendrecv_replace(ones, 1, MPI_INT, (rank + step) % 3, 0, (rank + 3 - step) % 3, 0, world, MPI_STATUS_IGNORE);
  if (rank == 2) GET(0, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
