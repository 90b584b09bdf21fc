// ranks: 2
// An operation of no elements touches nothing.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  const int count = CASE(1, 0);
  if (rank == 0) MPI_Put(ones, count, MPI_INT, 1, 0, count, MPI_INT, window);  // RACE
  if (rank == 1) memory[0] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
