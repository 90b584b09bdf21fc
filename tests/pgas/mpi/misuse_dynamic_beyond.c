// ranks: 2
// Beyond the end of what is attached; regions that touch are as good as one.
#include "case.h"

static void test(void) {
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  int* heap = calloc(COUNT, sizeof(int));
  MPI_Win_attach(window, heap, COUNT / 2 * sizeof(int));
  RIGHT(MPI_Win_attach(window, heap + COUNT / 2, COUNT / 2 * sizeof(int)));
  MPI_Aint address, of_peer;
  MPI_Get_address(heap, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, 1 - rank, 0, &of_peer, 1, MPI_AINT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, window);
  const MPI_Aint at = of_peer + (COUNT / 2 - CASE(1, 2)) * (MPI_Aint)sizeof(int);
  if (rank == 0) MPI_Get(got, 2, MPI_INT, 1, at, 2, MPI_INT, window);  // MISUSE rma-out-of-bounds
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  RIGHT(MPI_Win_detach(window, heap + COUNT / 2));
  MPI_Win_detach(window, heap);
  close_window();
  free(heap);
}
