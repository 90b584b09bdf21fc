// ranks: 3
// A message is received into window memory while another rank gets from there.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Send(ones, 4, MPI_INT, 1, 0, world);
  if (rank == 1) MPI_Recv(memory, 4, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);  // RACE
  RIGHT(MPI_Barrier(world));
  if (rank == 2) GET(1, 3);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
