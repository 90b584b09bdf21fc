// ranks: 2
// MPI_MODE_NOCHECK: the origin has been told by other means that the target has posted. The order is the same.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, other;
  MPI_Comm_group(world, &all);
  const int peer = 1 - rank;
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 1) {
    MPI_Win_post(other, MPI_MODE_NOCHECK, window);
    tell(0);
    RACY(use(memory[0]));  // RACE
    MPI_Win_wait(window);
    use(memory[0]);
  } else {
    hear(1);
    MPI_Win_start(other, MPI_MODE_NOCHECK, window);
    PUT(1, 0);  // RACE
    MPI_Win_complete(window);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  close_window();
}
