// ranks: 3
// Not every rank needs to give memory to a window.
#include "case.h"

static void test(void) {
  MPI_Win_allocate(rank == 1 ? COUNT * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  if (rank == 2) GET(1, CASE(0, 1));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
