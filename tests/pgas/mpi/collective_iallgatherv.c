// ranks: 3
// Nonblocking, for all, with parts of different sizes.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Iallgatherv(ones, rank + 1, MPI_INT, got, (const int[]){1, 2, 3}, (const int[]){0, 1, 3}, MPI_INT, world, &request);
  RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (rank == 2) GET(1, 0);  // RACE
  RACY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_Win_unlock_all(window);
  close_window();
}
