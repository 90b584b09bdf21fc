// ranks: 3
// A barrier of ranks 0 and 1 means nothing to rank 2.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm pair;
  MPI_Comm_split(world, rank == CASE(2, 1), 0, &pair);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Barrier(pair);
  if (rank == 2) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&pair);
  close_window();
}
