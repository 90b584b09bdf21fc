// ranks: 3
// A put and a third rank's load of the target's part.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Aint bytes;
  int unit, *of_one;
  MPI_Win_shared_query(window, 1, &bytes, &unit, &of_one);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 7);  // RACE
  if (rank == 2) use(of_one[CASE(7, 8)]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
