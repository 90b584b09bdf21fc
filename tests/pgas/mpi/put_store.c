// ranks: 2
// A put and the target's store to the same integer; stores to its neighbours are no business of the put's.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 5);  // RACE
  if (rank == 1) {
    memory[4] = 1;
    memory[6] = 1;
    memory[CASE(5, 7)] = 2;  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
