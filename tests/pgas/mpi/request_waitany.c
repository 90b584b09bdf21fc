// ranks: 2
// MPI_Waitany completes one of the requests: that with the index.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) {
      MPI_Rget(got + i, 1, MPI_INT, 1, i, 1, MPI_INT, window, &requests[i]);  // RACE
    }
    int done;
    MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
    use(got[CASE(1 - done, done)]);  // RACE
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
