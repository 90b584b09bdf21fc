// ranks: 3
// A derived type counts by what it is made of (MPI 3.1, 11.3.4).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, CASE(MPI_FLOAT, MPI_INT), &pair);
  MPI_Type_commit(&pair);
  if (rank == 0) MPI_Accumulate(ones, 1, pair, 1, 0, 1, pair, MPI_SUM, window);  // RACE
  if (rank == 2) ADD(1, 1);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&pair);
  close_window();
}
