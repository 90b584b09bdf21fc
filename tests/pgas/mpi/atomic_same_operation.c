// ranks: 3
// Accumulates are atomic towards each other if they have the same operation (accumulate_ops is same_op_no_op).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) ADD(1, 0);  // RACE
  if (rank == 2) MPI_Accumulate(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, CASE(MPI_MAX, MPI_SUM), window);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
