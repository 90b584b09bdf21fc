// ranks: 2
// A communicator made without blocking is one like others when its request is complete.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm twin;
  MPI_Request request;
  MPI_Comm_idup(world, &twin, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  RIGHT(MPI_Barrier(twin));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&twin);
  close_window();
}
