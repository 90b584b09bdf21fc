// ranks: 4
// A nonblocking reduction for all.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  if (rank == 3) PUT(1, 0);  // RACE
  RIGHT(MPI_Win_flush_all(window));
  MPI_Iallreduce(ones, got, 1, MPI_INT, MPI_SUM, world, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  RACY(MPI_Win_flush_all(window));
  if (rank == 2) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
