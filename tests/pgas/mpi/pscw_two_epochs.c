// ranks: 3
// Origins in one exposure epoch after the other are ordered by the target's wait and post.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, first, second, target;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, CASE(2, 1), (const int[]){0, 2}, &first);
  MPI_Group_incl(all, 1, (const int[]){2}, &second);
  MPI_Group_incl(all, 1, (const int[]){1}, &target);
  if (rank == 1) {
    MPI_Win_post(first, 0, window);
    MPI_Win_wait(window);
    RIGHT(MPI_Win_post(second, 0, window); MPI_Win_wait(window));
  } else {
    MPI_Win_start(target, 0, window);
    if (rank == 0) PUT(1, 0);  // RACE
    if (rank == 2) PUT(1, 0);  // RACE
    MPI_Win_complete(window);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&first);
  MPI_Group_free(&second);
  MPI_Group_free(&target);
  close_window();
}
