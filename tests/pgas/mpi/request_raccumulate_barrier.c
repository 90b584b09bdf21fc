// ranks: 2
// MPI_Waitall completes MPI_Raccumulate locally only.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Raccumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &requests[0]);  // RACE
    MPI_Rget(got, 1, MPI_INT, 1, 8, 1, MPI_INT, window, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    use(got[0]);
    ones[0] = 5;
    RIGHT(MPI_Win_flush_all(window));
  }
  MPI_Barrier(world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
