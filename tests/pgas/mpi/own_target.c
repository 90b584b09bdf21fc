// ranks: 2
// A rank that puts to itself: its own load comes too early without a flush.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(0, 0);  // RACE
    RIGHT(MPI_Win_flush(0, window));
    use(memory[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
