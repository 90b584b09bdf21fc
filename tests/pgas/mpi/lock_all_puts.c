// ranks: 3
// MPI_Win_lock_all is a shared lock of everybody: it lets all put together.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank != 1) PUT(1, CASE(0, rank));  // RACE RACE
  MPI_Win_unlock_all(window);
  close_window();
}
