// ranks: 2
// MPI_Sendrecv orders both ways.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  const int peer = CASE(MPI_PROC_NULL, 1 - rank);
  MPI_Sendrecv(ones, 1, MPI_INT, peer, 1, got, 1, MPI_INT, peer, 1, world, MPI_STATUS_IGNORE);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
