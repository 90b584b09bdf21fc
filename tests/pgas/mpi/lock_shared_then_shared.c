// ranks: 4
// Shared holders learn from exclusive ones, not from each other: rank 3's exclusive lock elsewhere in time does not order 0 and 2.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0 || rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, rank == 0 ? MPI_SUM : CASE(MPI_MAX, MPI_SUM), window);  // RACE RACE
    MPI_Win_unlock(1, window);
  }
  if (rank == 3) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    PUT(1, 1);
    MPI_Win_unlock(1, window);
  }
  close_window();
}
