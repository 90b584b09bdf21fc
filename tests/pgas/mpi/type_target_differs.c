// ranks: 2
// The target's type places the data at the target, the origin's at the origin.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 4, MPI_INT, 1, 0, 1, column, window);  // RACE
  if (rank == 1) use(memory[CASE(24, 3)]);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Type_free(&column);
  close_window();
}
