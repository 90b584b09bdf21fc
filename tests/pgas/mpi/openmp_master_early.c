// ranks: 2
// The master thread calls the barrier inside a parallel region; another thread has stored, but that is not known to it.
#define THREADS
#include <omp.h>

#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      if (rank == 1) memory[0] = 1;  // RACE
      done(1);
    }
    if (CASE(0, 1)) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) {
      await(1);
      MPI_Barrier(world);
    }
  }
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
