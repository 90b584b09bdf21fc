// ranks: 2
// A message says that the put was issued, not that it is complete.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
    tell(1);
  } else {
    hear(0);
    use(memory[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
