// ranks: 3
// Nor does a broadcast order the others with each other: rank 1 may be through before rank 2 has come.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) PUT(0, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Bcast(ones, 1, MPI_INT, CASE(0, 1), world);
  if (rank == 2) GET(0, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
