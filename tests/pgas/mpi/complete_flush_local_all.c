// ranks: 3
// The same with the calls for all targets, and a get by a third rank.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    CASE(MPI_Win_flush_local_all(window), MPI_Win_flush_all(window));
  }
  MPI_Barrier(world);
  if (rank == 2) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
