// ranks: 2
// MPI_SHORT_INT is a short, a gap of two bytes and an integer (MPI 3.1, 5.9.4).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 1, MPI_SHORT_INT, 1, 0, 1, MPI_SHORT_INT, window);  // RACE
  if (rank == 1) ((short*)memory)[CASE(3, 1)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
