// ranks: 2
// MPI_Win_flush_local gives the buffer back.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush_local(1, window));
    ones[0] = 7;  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
