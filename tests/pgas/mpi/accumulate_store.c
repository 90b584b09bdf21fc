// ranks: 2
// The target's store against an accumulate.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) memory[0] = 3;  // RACE
  RIGHT(MPI_Barrier(world));
  if (rank == 0) ADD(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
