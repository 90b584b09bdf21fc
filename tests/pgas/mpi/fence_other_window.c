// ranks: 2
// A fence completes the operations of its own window only.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win other;
  int* others;
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &others, &other);
  MPI_Win_fence(0, other);
  MPI_Win_fence(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Put(ones, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, other);
  RIGHT(MPI_Win_fence(0, window));
  MPI_Win_fence(0, other);
  if (rank == 1) use(memory[0]);  // RACE
  RACY(MPI_Win_fence(0, window));
  MPI_Win_free(&other);
  close_window();
}
