// ranks: 2
// What was got is there when the get is locally complete, not when MPI_Get returns.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    GET(1, 0);  // RACE
    RIGHT(MPI_Win_flush_local_all(window));
    use(got[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
