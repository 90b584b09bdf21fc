// ranks: 3
// An exclusive lock keeps out those under MPI_Win_lock_all as well.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(CASE(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE), 1, 0, window);
    PUT(1, 0);  // RACE
    MPI_Win_unlock(1, window);
  } else if (rank == 2) {
    MPI_Win_lock_all(0, window);
    PUT(1, 0);  // RACE
    MPI_Win_unlock_all(window);
  }
  close_window();
}
