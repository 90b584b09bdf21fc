// ranks: 4
// MPI_Accumulate, MPI_Get_accumulate and MPI_Fetch_and_op are all accumulates: they mix.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Accumulate(ones, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, window);
  if (rank == 2) MPI_Get_accumulate(ones, 4, MPI_INT, got, 4, MPI_INT, 1, 2, 4, MPI_INT, MPI_SUM, window);  // RACE
  if (rank == 3) MPI_Fetch_and_op(ones, got, MPI_INT, 1, 5, CASE(MPI_BOR, MPI_SUM), window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
