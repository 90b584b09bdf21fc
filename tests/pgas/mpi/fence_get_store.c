// ranks: 2
// A store before the fence that the get follows, and a store beside the get.
#include "case.h"

static void test(void) {
  open_window();
  RIGHT(memory[0] = 1);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 0) GET(1, 0);  // RACE
  if (rank == 1) RACY(memory[0] = 1);  // RACE
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  if (rank == 0) use(got[0]);
  close_window();
}
