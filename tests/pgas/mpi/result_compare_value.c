// ranks: 2
// MPI_Compare_and_swap reads the value it compares with until it is locally complete.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Compare_and_swap(ones, ones + 4, got, MPI_INT, 1, 0, window);  // RACE
    RIGHT(MPI_Win_flush_local(1, window));
    ones[4] = 5;  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
