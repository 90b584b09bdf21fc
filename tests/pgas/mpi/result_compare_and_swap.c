// ranks: 2
// The result of MPI_Compare_and_swap must not be looked at before it is locally complete; its neighbours may.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Compare_and_swap(ones, ones + 4, got, MPI_INT, 1, 0, window);  // RACE
    use(got[1]);
    use(got[CASE(0, 2)]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
