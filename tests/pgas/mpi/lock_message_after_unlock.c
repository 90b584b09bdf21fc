// ranks: 3
// Shared locks, and a message from one holder to the next.
#include "case.h"

static void test(void) {
  open_window();
  if (rank == 2) RIGHT(hear(0));
  if (rank != 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    PUT(1, 0);  // RACE RACE
    MPI_Win_unlock(1, window);
  }
  if (rank == 0) RIGHT(tell(2));
  close_window();
}
