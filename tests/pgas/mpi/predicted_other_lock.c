// ranks: 3
// Two puts, each under an exclusive lock, but of different targets' windows: only the second lock that both take, one behind the other, orders them in this run.
#include <unistd.h>

#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, window);
    PUT(1, 0);  // PREDICTED
    MPI_Win_unlock(1, window);
    MPI_Win_unlock(2, window);
  }
  if (rank == 1) {
    usleep(100000);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    RIGHT(memory[0] = 1);
    MPI_Win_unlock(2, window);
    RACY(memory[0] = 1);  // PREDICTED
  }
  close_window();
}
