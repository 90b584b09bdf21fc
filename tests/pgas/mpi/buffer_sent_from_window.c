// ranks: 3
// A message is sent from window memory while another rank puts there.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Recv(got, 4, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(memory, 4, MPI_INT, 0, 0, world);  // RACE
  if (rank == 2) PUT(1, CASE(3, 4));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
