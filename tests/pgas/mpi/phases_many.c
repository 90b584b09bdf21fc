// ranks: 2
// A thousand phases of one put each, one of which is not flushed.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 1000; ++i) {
    if (rank == 0) {
      PUT(1, 0);  // RACE
      if (CASE(i != 500, 1)) MPI_Win_flush(1, window);
    }
    MPI_Barrier(world);
    if (rank == 1) use(memory[0]);  // RACE
    if (rank == 0) MPI_Win_flush(1, window);
    MPI_Barrier(world);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
