// ranks: 2
// The result of MPI_Get_accumulate is a buffer that is written, its origin one that is read.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get_accumulate(ones, 2, MPI_INT, got, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_SUM, window);  // RACE
    use(ones[1]);
    RIGHT(MPI_Win_flush_local(1, window));
    use(got[1]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
