// ranks: 2
// Memory that is detached again belongs to the rank alone, once the operations on it are complete.
#include "case.h"

static void test(void) {
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
  int* first = calloc(COUNT, sizeof(int));
  int* second = calloc(COUNT, sizeof(int));
  MPI_Win_attach(window, first, COUNT * sizeof(int));
  MPI_Win_attach(window, second, COUNT * sizeof(int));
  MPI_Aint addresses[2], of_peer[2];
  MPI_Get_address(first, &addresses[0]);
  MPI_Get_address(second, &addresses[1]);
  MPI_Sendrecv(addresses, 2, MPI_AINT, 1 - rank, 0, of_peer, 2, MPI_AINT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, of_peer[0]);
    MPI_Win_flush(1, window);
  }
  MPI_Barrier(world);
  MPI_Win_detach(window, first);
  first[0] = 2;
  if (rank == 0) PUT(1, of_peer[1]);  // RACE
  RACY(if (rank == 1) second[0] = 2);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  MPI_Win_detach(window, second);
  close_window();
  free(first);
  free(second);
}
