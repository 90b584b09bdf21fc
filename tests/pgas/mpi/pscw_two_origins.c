// ranks: 3
// Two origins in one exposure epoch are not ordered.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, origins, target;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 2, (const int[]){0, 2}, &origins);
  MPI_Group_incl(all, 1, (const int[]){1}, &target);
  if (rank == 1) {
    MPI_Win_post(origins, 0, window);
    MPI_Win_wait(window);
    use(memory[0] + memory[1]);
  } else {
    MPI_Win_start(target, 0, window);
    PUT(1, CASE(0, rank));  // RACE RACE
    MPI_Win_complete(window);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&origins);
  MPI_Group_free(&target);
  close_window();
}
