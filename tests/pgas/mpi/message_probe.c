// ranks: 2
// MPI_Probe takes nothing: the order comes with the receive, or with having seen that the message is there.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
    MPI_Send(ones, 3, MPI_INT, 1, 6, world);
  } else {
    MPI_Status status;
    int count;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(got, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, MPI_STATUS_IGNORE);
    use(memory[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
