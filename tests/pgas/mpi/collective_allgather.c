// ranks: 3
// Everybody has everybody's data: each is before each.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  RIGHT(MPI_Allgather(ones, 1, MPI_INT, got, 1, MPI_INT, world));
  if (rank == 1) use(memory[0]);  // RACE
  RACY(MPI_Allgather(ones, 1, MPI_INT, got, 1, MPI_INT, world));
  MPI_Win_unlock_all(window);
  close_window();
}
