// ranks: 2
// MPI_Win_complete gives the origin its buffer back.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, other;
  MPI_Comm_group(world, &all);
  const int peer = 1 - rank;
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    PUT(1, 0);  // RACE
    RIGHT(MPI_Win_complete(window));
    ones[0] = 3;  // RACE
    RACY(MPI_Win_complete(window));
  } else {
    MPI_Win_post(other, MPI_MODE_NOSTORE, window);
    MPI_Win_wait(window);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  close_window();
}
