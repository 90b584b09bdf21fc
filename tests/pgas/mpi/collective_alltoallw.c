// ranks: 2
// The most general exchange of all with all: each has a part of the data of each.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  const int counts[] = {1, 1}, places[] = {0, 4};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  RIGHT(MPI_Alltoallw(ones, counts, places, types, got, counts, places, types, world));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
