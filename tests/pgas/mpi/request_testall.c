// ranks: 2
// MPI_Testall completes all or none; MPI_Testany one.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request requests[2], other;
    for (int i = 0; i < 2; ++i) MPI_Rget(got + i, 1, MPI_INT, 1, i, 1, MPI_INT, window, &requests[i]);
    MPI_Rget(got + 2, 1, MPI_INT, 1, 2, 1, MPI_INT, window, &other);  // RACE
    for (int done = 0; !done;) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    use(got[0] + got[1]);
    RACY(use(got[2]));  // RACE
    for (int done = 0, index; !done;) MPI_Testany(1, &other, &index, &done, MPI_STATUS_IGNORE);
    use(got[2]);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
