// ranks: 2
// A message has come behind MPI_Wait, not behind MPI_Irecv.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    MPI_Isend(ones, 1, MPI_INT, 1, 4, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Irecv(got, 1, MPI_INT, 0, 4, world, &request);
    RACY(use(memory[0]));  // RACE
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(memory[0]);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
