// ranks: 2
// A window that was freed is none.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win kept = window;
  MPI_Win_lock_all(0, window);
  MPI_Win_unlock_all(window);
  RIGHT(MPI_Win_lock_all(0, window));
  RACY(close_window());
  if (rank == 0) MPI_Put(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, kept);  // MISUSE rma-bad-handle
  RIGHT(MPI_Win_unlock_all(window); close_window());
}
