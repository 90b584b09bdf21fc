// ranks: 3
// And the same predefined type.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  const MPI_Datatype type = CASE(MPI_FLOAT, MPI_INT);
  if (rank == 0) ADD(1, 0);  // RACE
  if (rank == 2) MPI_Accumulate(ones, 1, type, 1, 0, 1, type, MPI_SUM, window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
