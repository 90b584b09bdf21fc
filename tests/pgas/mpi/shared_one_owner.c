// ranks: 2
// All memory from one rank, as is usual: the other has none of its own.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(rank == 0 ? COUNT * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
  MPI_Win_fence(0, window);
  if (rank == 1) memory[1] = 1;  // RACE
  RIGHT(MPI_Win_fence(0, window));
  if (rank == 0) use(memory[1]);  // RACE
  MPI_Win_fence(0, window);
  close_window();
}
