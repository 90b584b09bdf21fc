// ranks: 4
// Shared holders both learn from the exclusive one before them, and nothing from each other.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 3) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 0);
    MPI_Win_unlock(1, window);
  }
  MPI_Barrier(world);
  if (rank == 0 || rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, rank == 0 ? MPI_SUM : CASE(MPI_MAX, MPI_SUM), window);  // RACE RACE
    MPI_Win_unlock(1, window);
  }
  close_window();
}
