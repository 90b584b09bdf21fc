// ranks: 2
// A message orders what was before its send with what is behind its receive, not the other way.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    RACY(hear(1));
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    RIGHT(tell(1));
  } else {
    RACY(tell(0));
    RIGHT(hear(0));
    use(memory[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
