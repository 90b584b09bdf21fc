// ranks: 3
// A reduction orders the others before its root.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 2) PUT(0, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Reduce(ones, got, 1, MPI_INT, MPI_SUM, CASE(2, 0), world);
  if (rank == 0) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
