// ranks: 2
// An operation towards MPI_PROC_NULL touches nothing.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(CASE(1, MPI_PROC_NULL), 0);  // RACE
  if (rank == 1) memory[0] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
