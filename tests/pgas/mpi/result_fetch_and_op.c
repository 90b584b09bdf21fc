// ranks: 2
// The result of MPI_Fetch_and_op is there only when it is locally complete.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Fetch_and_op(ones, got, MPI_INT, 1, 0, MPI_SUM, window);  // RACE
    RIGHT(MPI_Win_flush(1, window));
    use(got[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
