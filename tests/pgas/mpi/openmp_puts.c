// ranks: 2
// A parallel loop of puts to places of their own.
#define THREADS
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(0, window);
  if (rank == 0) {
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 16; ++i) PUT(1, CASE(i % 8, i));  // RACE RACE
  }
  MPI_Win_fence(0, window);
  if (rank == 1) use(memory[3]);
  close_window();
}
