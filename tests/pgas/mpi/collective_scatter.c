// ranks: 3
// Scattering is from the root, as is a scatter of parts of different sizes.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  MPI_Win_flush_all(window);
  MPI_Scatterv(ones, (const int[]){1, 2, 3}, (const int[]){0, 1, 3}, MPI_INT, got, rank + 1, MPI_INT, CASE(2, 0), world);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
