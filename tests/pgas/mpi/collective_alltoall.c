// ranks: 4
// The transposition of a matrix by the way orders all with all; without a flush before it, it is too early.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 3) {
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
  }
  MPI_Alltoall(ones, 1, MPI_INT, got, 1, MPI_INT, world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
