// ranks: 3
// One origin puts what another gets; two gets would do no harm.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) CASE(PUT(1, 9), GET(1, 9));  // RACE
  if (rank == 2) GET(1, 9);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
