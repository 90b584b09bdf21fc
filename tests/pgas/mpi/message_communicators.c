// ranks: 2
// The same source and tag on two communicators are two messages.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm twin;
  MPI_Comm_dup(world, &twin);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Send(ones, 1, MPI_INT, 1, 0, world);
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    MPI_Send(ones, 1, MPI_INT, 1, 0, twin);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, CASE(world, twin), MPI_STATUS_IGNORE);
    use(memory[0]);  // RACE
    MPI_Recv(got, 1, MPI_INT, 0, 0, CASE(twin, world), MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&twin);
  close_window();
}
