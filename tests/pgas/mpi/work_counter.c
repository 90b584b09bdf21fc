// ranks: 4
// Work is handed out by a counter: nobody waits for anybody, and each result has a place of its own.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  for (int next = 0; next < 40;) {
    MPI_Fetch_and_op(ones, &next, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    if (next < 40) PUT(1, CASE(rank == 0 || rank == 3 ? 60 : next, next));  // RACE RACE
    MPI_Win_flush(1, window);
  }
  RACY(if (rank == 0 || rank == 3) PUT(1, 60));
  MPI_Win_unlock_all(window);
  close_window();
}
