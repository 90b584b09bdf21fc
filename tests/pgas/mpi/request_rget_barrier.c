// ranks: 2
// A get whose data has arrived has read its target: MPI_Wait on MPI_Rget's request and a barrier order the target's store.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Rget(got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);  // RACE
  RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_Barrier(world);
  RACY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (rank == 1) memory[0] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
