// ranks: 3
// Epochs under exclusive locks of one target come one after the other, under shared ones together.
#include "case.h"

static void test(void) {
  open_window();
  if (rank != 1) {
    MPI_Win_lock(CASE(MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE), 1, 0, window);
    PUT(1, 0);  // RACE RACE
    MPI_Win_unlock(1, window);
  }
  close_window();
}
