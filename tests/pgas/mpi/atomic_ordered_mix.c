// ranks: 3
// Different operations are fine in different epochs.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_PROD, window);  // RACE
  RIGHT(MPI_Win_fence(0, window));
  if (rank == 2) ADD(1, 0);  // RACE
  MPI_Win_fence(0, window);
  close_window();
}
