// ranks: 2
// Puts of one origin to one place are not ordered either (MPI 3.1, 11.7: only accumulates are), unless a flush is between them.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
    PUT(1, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
