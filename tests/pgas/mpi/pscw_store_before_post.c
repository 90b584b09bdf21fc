// ranks: 2
// What the target stored before MPI_Win_post is there for a get; a store behind it races.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, other;
  MPI_Comm_group(world, &all);
  const int peer = 1 - rank;
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    GET(1, 0);  // RACE
    MPI_Win_complete(window);
    use(got[0]);
  } else {
    RIGHT(memory[0] = 1);
    MPI_Win_post(other, 0, window);
    RACY(memory[0] = 1);  // RACE
    MPI_Win_wait(window);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  close_window();
}
