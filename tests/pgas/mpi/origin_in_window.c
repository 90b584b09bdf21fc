// ranks: 3
// A buffer may itself be window memory: then other ranks' puts race with it too.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(memory, 4, MPI_INT, 1, 0, 4, MPI_INT, window);  // RACE
  if (rank == 2) PUT(0, CASE(3, 4));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
