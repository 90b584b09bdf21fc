// ranks: 2
// Messages are received in another order than they were sent: each brings what was before its own send.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(ones, 1, MPI_INT, 1, 1, world, &request);
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    MPI_Send(ones, 1, MPI_INT, 1, 2, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, CASE(1, 2), world, MPI_STATUS_IGNORE);
    use(memory[0]);  // RACE
    MPI_Recv(got, 1, MPI_INT, 0, CASE(2, 1), world, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
