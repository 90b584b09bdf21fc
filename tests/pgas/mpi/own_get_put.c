// ranks: 2
// A put may overtake the get that the same origin issued first. A get that is locally complete has been served.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    GET(1, 0);  // RACE
    RIGHT(MPI_Win_flush_local(1, window));
    PUT(1, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
