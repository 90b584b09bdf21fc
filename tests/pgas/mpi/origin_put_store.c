// ranks: 2
// A put reads its buffer until it is locally complete: a store comes too early, a load does no harm.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Put(ones, 4, MPI_INT, 1, 0, 4, MPI_INT, window);  // RACE
    CASE(ones[3] = 7, use(ones[3]));  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
