// ranks: 2
// Accumulates are atomic towards each other only: the target's own load is none (MPI 3.1, 11.7.1).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) ADD(1, 0);  // RACE
  MPI_Win_flush_all(window);
  RIGHT(MPI_Barrier(world));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
