// ranks: 2
// A get and the target's store; with a load there is nothing that could go wrong.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) GET(1, 0);  // RACE
  if (rank == 1) CASE(memory[0] = 1, use(memory[0]));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
