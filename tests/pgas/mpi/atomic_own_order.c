// ranks: 3
// Accumulates of one origin to one place are ordered (accumulate_ordering, 11.7.2), so they are not concurrent and may differ in
// their operation; those of two origins may not.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) ADD(1, 0);  // RACE
  if (rank == CASE(2, 0)) MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
