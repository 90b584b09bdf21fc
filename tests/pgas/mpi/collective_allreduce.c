// ranks: 3
// A reduction whose result everybody has orders all with all; a reduction to a root does not.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) PUT(0, 0);  // RACE
  MPI_Win_flush_all(window);
  CASE(MPI_Reduce(ones, got, 1, MPI_INT, MPI_SUM, 0, world), MPI_Allreduce(ones, got, 1, MPI_INT, MPI_SUM, world));
  if (rank == 2) GET(0, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
