// ranks: 3
// A fence that ends no epoch (MPI_MODE_NOPRECEDE) need not wait for others (MPI 3.1, 11.5.1): it cannot stand for a barrier.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win fenced;
  int* others;
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &others, &fenced);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
  }
  MPI_Win_fence(MPI_MODE_NOPRECEDE, fenced);
  RIGHT(MPI_Barrier(world));
  if (rank == 2) GET(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced);
  MPI_Win_free(&fenced);
  close_window();
}
