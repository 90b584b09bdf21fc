// ranks: 2
// Threads put one after the other in a critical section: that is no completion.
#define THREADS
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      {
        PUT(1, 0);  // RACE RACE
        RIGHT(MPI_Win_flush(1, window));
      }
    }
  }
  MPI_Win_unlock_all(window);
  close_window();
}
