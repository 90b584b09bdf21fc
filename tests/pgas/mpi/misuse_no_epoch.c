// ranks: 2
// An operation needs an open epoch: after the unlock there is none towards its target.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    RIGHT(PUT(1, 0));
    MPI_Win_unlock(1, window);
    RACY(PUT(1, 0));  // MISUSE rma-no-epoch
  }
  MPI_Barrier(world);
  close_window();
}
