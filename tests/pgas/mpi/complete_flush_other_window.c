// ranks: 2
// A flush is for one window.
#include "case.h"

static void test(void) {
  open_window();
  int* others;
  MPI_Win other;
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &others, &other);
  MPI_Win_lock_all(0, window);
  MPI_Win_lock_all(0, other);
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Put(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, other);
    MPI_Win_flush(1, other);
    RIGHT(MPI_Win_flush(1, window));
  }
  MPI_Barrier(world);
  if (rank == 1) use(others[0]);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(other);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&other);
  close_window();
}
