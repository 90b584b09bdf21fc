// ranks: 3
// MPI_MODE_NOCHECK promises that no other lock is held: it keeps nobody out, something else must.
#include "case.h"

static void test(void) {
  open_window();
  for (int turn = 0; turn < 3; turn += 2) {
    if (rank == turn) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, window);
      PUT(1, 0);  // RACE RACE
      MPI_Win_unlock(1, window);
    }
    RIGHT(MPI_Barrier(world));
  }
  close_window();
}
