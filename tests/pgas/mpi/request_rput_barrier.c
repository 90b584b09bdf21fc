// ranks: 2
// MPI_Wait on MPI_Rput's request says nothing of the target (MPI 3.1, 11.3.5): a barrier behind it is not enough.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request request;
    MPI_Rput(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);  // RACE
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    RIGHT(MPI_Win_flush(1, window));
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
