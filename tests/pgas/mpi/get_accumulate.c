// ranks: 3
// A get is not atomic towards accumulates; MPI_Get_accumulate with MPI_NO_OP is the get that is (same_op_no_op).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) ADD(1, 0);  // RACE
  if (rank == 2) {
    CASE(GET(1, 0), MPI_Get_accumulate(NULL, 0, MPI_INT, got, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, window));  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
