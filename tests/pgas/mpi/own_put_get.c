// ranks: 2
// A get may be served before the put that the same origin issued first; local completion of the put changes nothing.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    CASE(MPI_Win_flush_local(1, window), MPI_Win_flush(1, window));
    GET(1, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
