// ranks: 3
// MPI_Win_start opens an epoch towards the group that it names, and towards nobody else; and the job may end here.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, one;
  MPI_Comm_group(world, &all);
  const int origin = 0, target = 1;
  MPI_Group_incl(all, 1, rank == 0 ? &target : &origin, &one);
  if (rank == 0) {
    MPI_Win_start(one, 0, window);
    PUT(CASE(2, 1), 4);  // MISUSE rma-no-epoch
    MPI_Win_complete(window);
  } else if (rank == 1) {
    MPI_Win_post(one, 0, window);
    MPI_Win_wait(window);
  }
  MPI_Group_free(&one);
  MPI_Group_free(&all);
  MPI_Barrier(world);
  close_window();
}
