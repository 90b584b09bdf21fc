// ranks: 3
// In a communicator of the opposite order the root 0 is rank 2.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm reversed;
  MPI_Comm_split(world, 0, -rank, &reversed);
  MPI_Win_lock_all(0, window);
  if (rank == CASE(0, 2)) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Bcast(got, 1, MPI_INT, 0, reversed);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&reversed);
  close_window();
}
