// ranks: 2
// A flag that is put, and polled with loads: nothing makes the two atomic towards each other. With accumulates the flag is no race.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    CASE(PUT(1, 0), MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window));  // RACE
    MPI_Win_flush(1, window);
  } else {
    for (int seen = 0, tries = 0; seen == 0 && tries < 1000; ++tries) {
      RACY(seen = *(volatile int*)memory; MPI_Win_sync(window));  // RACE
      RIGHT(MPI_Fetch_and_op(NULL, &seen, MPI_INT, 1, 0, MPI_NO_OP, window); MPI_Win_flush(1, window));
    }
  }
  MPI_Win_unlock_all(window);
  close_window();
}
