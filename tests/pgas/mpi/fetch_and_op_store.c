// ranks: 2
// MPI_Fetch_and_op against the target's store.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Fetch_and_op(ones, got, MPI_INT, 1, 3, MPI_SUM, window);  // RACE
  MPI_Win_flush_all(window);
  RIGHT(MPI_Barrier(world));
  if (rank == 1) memory[3] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
