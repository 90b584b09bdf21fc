// ranks: 2
// A put and the target's load of the same integer: the put must complete, and the target must wait for that.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
  }
  RIGHT(MPI_Barrier(world));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
