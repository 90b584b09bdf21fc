// ranks: 4
// A barrier of all, with direct stores on both sides of the puts.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  memory[0] = rank;  // RACE
  RIGHT(MPI_Barrier(world));
  PUT((rank + 1) % size, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Barrier(world);
  use(memory[0]);
  MPI_Win_unlock_all(window);
  close_window();
}
