// ranks: 3
// A flush is for the operations of the rank that calls it.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  if (rank == CASE(2, 0)) MPI_Win_flush(1, window);
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
