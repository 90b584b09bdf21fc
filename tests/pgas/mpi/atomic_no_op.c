// ranks: 3
// MPI_Fetch_and_op with MPI_NO_OP reads atomically beside any operation; two operations that update must be the same.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Fetch_and_op(ones, got, MPI_INT, 1, 0, MPI_SUM, window);  // RACE
  if (rank == 2) MPI_Fetch_and_op(ones, got, MPI_INT, 1, 0, CASE(MPI_REPLACE, MPI_NO_OP), window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
