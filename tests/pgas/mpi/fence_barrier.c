// ranks: 2
// A barrier is no fence: it completes nothing.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  CASE(MPI_Barrier(world), MPI_Win_fence(0, window));
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_fence(0, window);
  close_window();
}
