// ranks: 3
// Receives from anybody that were posted together.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank != 0) {
    PUT(0, rank);  // RACE
    RIGHT(MPI_Win_flush(0, window));
    MPI_Send(ones, 1, MPI_INT, 0, 2, world);
    RACY(MPI_Win_flush(0, window));
  } else {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < 2; ++i) MPI_Irecv(got + i, 1, MPI_INT, MPI_ANY_SOURCE, 2, world, &requests[i]);
    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < 2; ++i) use(memory[statuses[i].MPI_SOURCE]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
