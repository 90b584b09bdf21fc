// ranks: 2
// MPI_Win_test, once it says so, is MPI_Win_wait.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, other;
  MPI_Comm_group(world, &all);
  const int peer = 1 - rank;
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    ADD(1, 0);  // RACE
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(other, 0, window);
    RACY(memory[0] = 2);  // RACE
    for (int done = 0; !done;) MPI_Win_test(window, &done);
    RIGHT(memory[0] = 2);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  close_window();
}
