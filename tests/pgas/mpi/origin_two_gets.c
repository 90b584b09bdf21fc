// ranks: 2
// Two gets into one buffer.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    GET(1, 0);  // RACE
    RIGHT(MPI_Win_flush_local(1, window));
    GET(1, 1);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
