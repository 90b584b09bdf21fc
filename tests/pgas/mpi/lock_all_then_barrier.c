// ranks: 4
// MPI_Win_unlock_all completes towards all.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) {
    for (int to = 1; to < size; ++to) PUT(to, 0);  // RACE
  }
  RIGHT(MPI_Win_unlock_all(window));
  MPI_Barrier(world);
  if (rank == 3) use(memory[0]);  // RACE
  RACY(MPI_Win_unlock_all(window));
  close_window();
}
