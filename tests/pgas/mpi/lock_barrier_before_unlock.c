// ranks: 2
// A barrier inside the epoch comes before the completion.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  if (rank == 0) MPI_Win_unlock(1, window);
  close_window();
}
