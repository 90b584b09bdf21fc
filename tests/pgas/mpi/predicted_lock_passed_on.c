// ranks: 3
// A lock that is taken and given up between two accesses orders them in a run that takes it in this order; under the lock they exclude each other in all.
#include <unistd.h>

#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 0);  // PREDICTED
    MPI_Win_unlock(1, window);
  }
  if (rank == 2) {
    usleep(100000);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 8);
    RIGHT(GET(1, 0));
    MPI_Win_unlock(1, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, window);
    RACY(GET(1, 0));  // PREDICTED
    MPI_Win_unlock(1, window);
  }
  close_window();
}
