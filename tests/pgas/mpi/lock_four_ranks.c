// ranks: 4
// A counter that everybody reads and writes ten times under a lock.
#include "case.h"

static void test(void) {
  open_window();
  for (int i = 0; i < 10; ++i) {
    MPI_Win_lock(CASE(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE), 0, 0, window);
    RIGHT(GET(0, 0); MPI_Win_flush(0, window); ones[0] = got[0] + 1);
    PUT(0, 0);  // RACE RACE
    MPI_Win_unlock(0, window);
  }
  RIGHT(MPI_Barrier(world); if (rank == 0 && memory[0] != 10 * size) MPI_Abort(world, 1));
  close_window();
}
