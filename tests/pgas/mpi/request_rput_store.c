// ranks: 2
// MPI_Wait on MPI_Rput's request gives the buffer back.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request request;
    MPI_Rput(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);  // RACE
    RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
    ones[0] = 2;  // RACE
    RACY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
