// ranks: 2
// A dynamic window: displacements are addresses of what the target has attached.
#include "case.h"

static void test(void) {
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
  int* heap = calloc(COUNT, sizeof(int));
  MPI_Win_attach(window, heap, COUNT * sizeof(int));
  MPI_Aint address, of_peer;
  MPI_Get_address(heap, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, 1 - rank, 0, &of_peer, 1, MPI_AINT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, of_peer + 8);  // RACE
  if (rank == 1) heap[CASE(2, 1)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  MPI_Win_detach(window, heap);
  close_window();
  free(heap);
}
