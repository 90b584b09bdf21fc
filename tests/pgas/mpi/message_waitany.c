// ranks: 3
// Of two messages the one that has come orders its sender.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank != 0) {
    PUT(0, rank);  // RACE
    MPI_Win_flush(0, window);
    tell(0);
  } else {
    MPI_Request requests[2];
    int done;
    for (int i = 0; i < 2; ++i) MPI_Irecv(NULL, 0, MPI_INT, i + 1, 0, world, &requests[i]);
    MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
    use(memory[1 + CASE(1 - done, done)]);  // RACE
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
