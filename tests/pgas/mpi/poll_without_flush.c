// ranks: 2
// Data and then a flag, with atomic operations on the flag: without a flush between them the data may come after the flag. With it
// the put was complete at its target before the flag could be seen, as in the standard's own critical regions (MPI 3.1, 11.8).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 8);  // RACE
    RIGHT(MPI_Win_flush(1, window));
    MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(1, window);
  } else {
    for (int seen = 0; seen == 0;) {
      MPI_Fetch_and_op(NULL, &seen, MPI_INT, 1, 0, MPI_NO_OP, window);
      MPI_Win_flush(1, window);
    }
    use(memory[8]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
