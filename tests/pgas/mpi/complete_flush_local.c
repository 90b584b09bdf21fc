// ranks: 2
// MPI_Win_flush_local and a barrier: the put may still be on its way.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    CASE(MPI_Win_flush_local(1, window), MPI_Win_flush(1, window));
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
