// ranks: 2
// MPI_Issend is complete when its receive has started, so behind MPI_Wait what was before that receive is known.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
    memory[0] = 1;  // RACE
    hear(0);
  } else {
    MPI_Request request;
    MPI_Issend(NULL, 0, MPI_INT, 1, 0, world, &request);
    RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
    PUT(1, 0);  // RACE
    RACY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
