// ranks: 2
// Displacements count the target's units, which may differ by rank: 8 at rank 0, 12 at rank 1.
#include "case.h"

static void test(void) {
  MPI_Win_allocate(COUNT * sizeof(int), rank == 0 ? 8 : 12, MPI_INFO_NULL, world, &memory, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(ones, 1, MPI_INT, 1, 3, 1, MPI_INT, window);  // RACE
  if (rank == 1) memory[CASE(9, 6)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
