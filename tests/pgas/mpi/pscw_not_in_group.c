// ranks: 3
// Rank 2 is not in the group that is posted to and completes: it learns nothing of rank 0's put to the other window.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win order;
  int* none;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &none, &order);
  MPI_Group all, origin, targets;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, (const int[]){0}, &origin);
  MPI_Group_incl(all, CASE(1, 2), (const int[]){1, 2}, &targets);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    MPI_Win_start(targets, 0, order);
    MPI_Win_complete(order);
  } else if (rank == 1 || CASE(0, 1)) {
    MPI_Win_post(origin, 0, order);
    MPI_Win_wait(order);
  }
  if (rank == 1) use(memory[0]);
  if (rank == 2) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Group_free(&all);
  MPI_Group_free(&origin);
  MPI_Group_free(&targets);
  MPI_Win_free(&order);
  close_window();
}
