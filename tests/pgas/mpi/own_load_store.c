// ranks: 2
// A rank's loads and stores of its own memory, and its operations on it, which are like anybody's.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  memory[0] = 1;
  memory[0] += 1;
  ADD(rank, 0);  // RACE
  RIGHT(MPI_Win_flush(rank, window));
  memory[0] = 3;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
