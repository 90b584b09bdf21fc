// ranks: 3
// Gathering is to the root, too.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Gather(ones, 1, MPI_INT, got, 1, MPI_INT, CASE(0, 1), world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
