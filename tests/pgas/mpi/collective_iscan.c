// ranks: 3
// A nonblocking prefix sum orders lower ranks before higher ones.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  if (rank == CASE(2, 0)) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Iscan(ones, got, 1, MPI_INT, MPI_SUM, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == CASE(0, 2)) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
