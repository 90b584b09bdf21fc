// ranks: 4
// In a ring each rank's data goes to its two neighbours: they are ordered, the rank opposite is not (MPI 3.1, 7.6).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm ring;
  MPI_Cart_create(world, 1, (const int[]){4}, (const int[]){1}, 0, &ring);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(3, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Neighbor_allgather(ones, 1, MPI_INT, got, 1, MPI_INT, ring);
  if (rank == CASE(2, 1)) GET(3, 0);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&ring);
  close_window();
}
