// ranks: 2
// The buffer of an accumulate, under a lock: MPI_Win_unlock completes.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    ADD(1, 0);  // RACE
    RIGHT(MPI_Win_unlock(1, window));
    ones[0] = 2;  // RACE
    RACY(MPI_Win_unlock(1, window));
  }
  close_window();
}
