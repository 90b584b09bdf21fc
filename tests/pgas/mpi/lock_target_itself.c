// ranks: 2
// The target's own accesses need its lock like everybody's (MPI 3.1, 11.5.3).
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 0);  // RACE
    MPI_Win_unlock(1, window);
  } else {
    RIGHT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window));
    use(memory[0]);  // RACE
    RIGHT(MPI_Win_unlock(1, window));
  }
  close_window();
}
