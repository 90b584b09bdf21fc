// ranks: 3
// One buffer may be put to two ranks at once; it may not be put and got into.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    CASE(MPI_Get(ones, 1, MPI_INT, 2, 0, 1, MPI_INT, window), PUT(2, 0));  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
