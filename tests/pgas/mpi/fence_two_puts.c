// ranks: 3
// Two puts to one place in one epoch, from two ranks.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(0, window);
  if (rank == 0) PUT(1, 2);  // RACE
  if (rank == 2) PUT(1, CASE(2, 3));  // RACE
  MPI_Win_fence(0, window);
  close_window();
}
