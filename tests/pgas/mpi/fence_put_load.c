// ranks: 2
// Fences part epochs: what was put in one may be loaded in the next.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  RIGHT(MPI_Win_fence(0, window));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_fence(0, window);
  close_window();
}
