// ranks: 2
// A fence completes at the origin too.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 0) GET(1, 0);  // RACE
  RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
  if (rank == 0) use(got[0]);  // RACE
  RACY(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
  close_window();
}
