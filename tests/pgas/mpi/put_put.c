// ranks: 3
// Two origins put to one place.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  RIGHT(MPI_Barrier(world));
  if (rank == 2) PUT(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
