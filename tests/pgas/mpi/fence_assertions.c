// ranks: 2
// MPI_MODE_NOSTORE, NOPUT and NOSUCCEED tell the library what was not or will not be done: a fence with them orders as before.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, window);
  if (rank == 0) GET(1, 0);
  MPI_Win_fence(MPI_MODE_NOSTORE, window);
  if (rank == 0) PUT(1, 0);  // RACE
  RACY(if (rank == 1) use(memory[0]));  // RACE
  MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window);
  if (rank == 1) use(memory[0]);
  close_window();
}
