// ranks: 2
// The result of MPI_Rget_accumulate is there behind MPI_Wait.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request request;
    MPI_Rget_accumulate(ones, 1, MPI_INT, got, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &request);  // RACE
    RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
    got[0] += 1;  // RACE
    RACY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
