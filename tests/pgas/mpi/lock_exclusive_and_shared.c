// ranks: 3
// One exclusive lock is enough against a shared one.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(CASE(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE), 1, 0, window);
    PUT(1, 0);  // RACE
    MPI_Win_unlock(1, window);
  }
  if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    GET(1, 0);  // RACE
    MPI_Win_unlock(1, window);
  }
  close_window();
}
