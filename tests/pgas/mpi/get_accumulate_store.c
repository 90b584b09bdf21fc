// ranks: 2
// MPI_Get_accumulate with MPI_NO_OP still reads its target.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get_accumulate(NULL, 0, MPI_INT, got, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_NO_OP, window);  // RACE
  }
  if (rank == 1) memory[CASE(1, 2)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
