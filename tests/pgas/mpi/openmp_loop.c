// ranks: 2
// A parallel loop over window memory has ended for all threads when the main thread goes on to the barrier.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < COUNT; ++i) memory[i] = i;  // RACE
  }
  RIGHT(MPI_Barrier(world));
  if (rank == 0) MPI_Put(ones, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
