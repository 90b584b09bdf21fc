// ranks: 3
// Each rank's part of the result needs everybody's data.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 2) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  RIGHT(MPI_Reduce_scatter_block(ones, got, 1, MPI_INT, MPI_SUM, world));
  if (rank == 0) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
