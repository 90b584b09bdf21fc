// ranks: 2
// MPI_Get_accumulate updates its target, unless its operation is MPI_NO_OP.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get_accumulate(ones, 1, MPI_INT, got, 1, MPI_INT, 1, 0, 1, MPI_INT, CASE(MPI_SUM, MPI_NO_OP), window);  // RACE
  }
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
