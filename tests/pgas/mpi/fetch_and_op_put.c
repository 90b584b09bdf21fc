// ranks: 3
// A counter that one rank resets with a put while another fetches from it.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Fetch_and_op(ones, got, MPI_INT, 1, 0, MPI_SUM, window);  // RACE
    MPI_Win_flush(1, window);
  }
  RIGHT(MPI_Barrier(world));
  if (rank == 2) PUT(1, 0);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
