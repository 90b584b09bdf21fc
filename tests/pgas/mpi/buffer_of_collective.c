// ranks: 3
// A collective writes its result into window memory while another rank gets from there.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm some;
  MPI_Comm_split(world, rank == 2, 0, &some);
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Allreduce(ones, got, 4, MPI_INT, MPI_SUM, some);
  if (rank == 1) MPI_Allreduce(ones, memory, 4, MPI_INT, MPI_SUM, some);  // RACE
  if (rank == 2) GET(1, CASE(3, 4));  // RACE
  MPI_Win_unlock_all(window);
  MPI_Comm_free(&some);
  close_window();
}
