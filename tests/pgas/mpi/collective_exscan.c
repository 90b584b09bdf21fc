// ranks: 3
// The same for the exclusive prefix sum, with a direct load.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == CASE(2, 0)) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Exscan(ones, got, 1, MPI_INT, MPI_SUM, world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
