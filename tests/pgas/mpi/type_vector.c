// ranks: 3
// Columns: one rank's even elements and another's odd ones do not touch.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 8, MPI_INT, 1, 0, 1, column, window);  // RACE
  if (rank == 2) MPI_Put(ones, 8, MPI_INT, 1, CASE(14, 15), 1, column, window);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&column);
  close_window();
}
