// ranks: 2
// Behind MPI_Win_wait the target has what was put; before, not.
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
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(other, 0, window);
    RIGHT(MPI_Win_wait(window));
    use(memory[0]);  // RACE
    RACY(MPI_Win_wait(window));
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  close_window();
}
