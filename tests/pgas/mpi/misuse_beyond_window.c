// ranks: 2
// The window of rank 1 is half as long as that of rank 0: displacements are checked against the target's.
#include "case.h"

static void test(void) {
  const MPI_Aint mine = rank == 0 ? COUNT : COUNT / 2;
  MPI_Win_allocate(mine * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, window);
  if (rank == 0) {
    GET(1, CASE(COUNT / 2, COUNT / 2 - 1));  // MISUSE rma-out-of-bounds
  }
  MPI_Win_fence(0, window);
  close_window();
}
