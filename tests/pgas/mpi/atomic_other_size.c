// ranks: 3
// Types of different sizes tear: an integer inside a long one.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) ADD(1, CASE(1, 2));  // RACE
  if (rank == 2) MPI_Accumulate(ones, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
