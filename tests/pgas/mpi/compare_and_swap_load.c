// ranks: 2
// MPI_Compare_and_swap may write its target.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Compare_and_swap(ones, ones + 4, got, MPI_INT, 1, 0, window);  // RACE
  if (rank == 1) use(memory[CASE(0, 1)]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
