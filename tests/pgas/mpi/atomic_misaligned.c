// ranks: 3
// Elements that overlap by half are not the same location.
#include "case.h"

static void test(void) {
  char* bytes;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, world, &bytes, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Accumulate(ones, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_SUM, window);  // RACE
  if (rank == 2) MPI_Accumulate(ones, 1, MPI_INT, 1, CASE(2, 4), 1, MPI_INT, MPI_SUM, window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
