// ranks: 2
// A get writes its buffer until it is locally complete: a store in between may be lost. MPI_Win_unlock_all completes.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) GET(1, 0);  // RACE
  RIGHT(MPI_Win_unlock_all(window));
  if (rank == 0) got[0] = 1;  // RACE
  RACY(MPI_Win_unlock_all(window));
  close_window();
}
