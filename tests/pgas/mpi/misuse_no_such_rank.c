// ranks: 3
// Targets are ranks of the window's group: one of two ranks has no rank 2, whatever MPI_COMM_WORLD has.
#include "case.h"

static void test(void) {
  MPI_Comm two;
  MPI_Comm_split(world, rank == 0 ? 0 : 1, rank, &two);
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, two, &memory, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
    ADD(CASE(2, 1), 3);  // MISUSE rma-no-such-rank
  }
  MPI_Win_unlock_all(window);
  close_window();
  MPI_Comm_free(&two);
}
