// ranks: 2
// MPI_Win_unlock completes; the target has to be told.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    PUT(1, 0);  // RACE
    MPI_Win_unlock(1, window);
  }
  RIGHT(MPI_Barrier(world));
  if (rank == 1) use(memory[0]);  // RACE
  close_window();
}
