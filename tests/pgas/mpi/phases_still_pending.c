// ranks: 3
// A put that is never flushed is under way through any number of barriers.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  for (int i = 0; i < 100; ++i) {
    MPI_Barrier(world);
    if (i == 50) RIGHT(MPI_Win_flush_all(window));
  }
  if (rank == 2) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
