// ranks: 3
// A receive writes what has come, not all that there was room for: rank 2's put is behind it.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Send(ones, 2, MPI_INT, 1, 0, world);
  if (rank == 1) MPI_Recv(memory, 8, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);  // RACE
  if (rank == 2) PUT(1, CASE(1, 2));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
