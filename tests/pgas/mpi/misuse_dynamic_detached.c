// ranks: 2
// What was detached is in the window no more, though others may still have its address.
#include "case.h"

static void test(void) {
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  int* heap = calloc(COUNT, sizeof(int));
  MPI_Win_attach(window, heap, COUNT * sizeof(int));
  MPI_Aint address, of_peer;
  MPI_Get_address(heap, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, 1 - rank, 0, &of_peer, 1, MPI_AINT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, of_peer);
    MPI_Win_flush(1, window);
  }
  MPI_Barrier(world);
  RACY(MPI_Win_detach(window, heap));
  MPI_Barrier(world);
  if (rank == 0) PUT(1, of_peer);  // MISUSE rma-unreachable
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  RIGHT(MPI_Win_detach(window, heap));
  close_window();
  free(heap);
}
