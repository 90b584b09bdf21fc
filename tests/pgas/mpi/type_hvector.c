// ranks: 2
// A stride in bytes.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype column;
  MPI_Type_create_hvector(4, 1, 3 * sizeof(int), MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Get(got, 4, MPI_INT, 1, 1, 1, column, window);  // RACE
  if (rank == 1) memory[CASE(7, 8)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&column);
  close_window();
}
