// ranks: 3
// Between two groups a rank is one of the other group: rank 0 there is rank 1 or 2 of all.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm own, between;
  MPI_Comm_split(world, rank == 0, 0, &own);
  MPI_Intercomm_create(own, 0, world, rank == 0 ? 1 : 0, 7, &between);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(2, 0);  // RACE
    MPI_Win_flush(2, window);
    MPI_Send(ones, 1, MPI_INT, CASE(0, 1), 0, between);
  }
  if (rank == CASE(1, 2)) MPI_Recv(got, 1, MPI_INT, 0, 0, between, MPI_STATUS_IGNORE);
  if (rank == 2) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
  close_window();
}
