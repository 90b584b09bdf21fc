// ranks: 3
// A lock word that is looked at with MPI_Get; MPI_Compare_and_swap on both sides is atomic.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Compare_and_swap(ones, ones + 4, got, MPI_INT, 1, 0, window);  // RACE
  if (rank == 2) CASE(GET(1, 0), MPI_Compare_and_swap(ones, ones + 4, got, MPI_INT, 1, 0, window));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
