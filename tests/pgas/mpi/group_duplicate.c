// ranks: 2
// A barrier of a duplicate of all is one of all; of MPI_COMM_SELF it is none.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm twin;
  MPI_Comm_dup(world, &twin);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Barrier(CASE(MPI_COMM_SELF, twin));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&twin);
  close_window();
}
