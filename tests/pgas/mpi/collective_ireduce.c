// ranks: 3
// A nonblocking reduction orders to its root only.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Ireduce(ones, got, 1, MPI_INT, MPI_SUM, CASE(2, 1), world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
