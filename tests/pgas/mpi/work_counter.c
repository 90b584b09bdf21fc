// ranks: 4
// Work is handed out by a counter: nobody waits for anybody, and each result has a place of its own.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  for (int next = rank; next < 40;) {
    PUT(1, CASE(60, next));  // RACE RACE
    MPI_Win_flush(1, window);
    MPI_Fetch_and_op(ones, &next, MPI_INT, 0, 63, MPI_SUM, window);
    MPI_Win_flush(0, window);
    next += size;
  }
  MPI_Win_unlock_all(window);
  close_window();
}
