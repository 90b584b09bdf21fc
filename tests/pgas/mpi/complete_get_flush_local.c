// ranks: 2
// A get that is locally complete has read its target: with a barrier the target may store.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    GET(1, 0);  // RACE
    RIGHT(MPI_Win_flush_local(1, window));
  }
  MPI_Barrier(world);
  if (rank == 1) memory[0] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
