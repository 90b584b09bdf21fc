// ranks: 3
// MPI_Win_flush_local completes the operations towards its target, not others.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    GET(1, 0);  // RACE
    MPI_Win_flush_local(CASE(2, 1), window);
    use(got[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
