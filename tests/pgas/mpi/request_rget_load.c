// ranks: 2
// MPI_Test on MPI_Rget's request, until it says so, completes the get.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request request;
    MPI_Rget(got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);  // RACE
    RACY(use(got[0]));  // RACE
    for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    RIGHT(use(got[0]));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
