// ranks: 2
// MPI_Ssend ends when the receive has started (MPI 3.1, 3.4): it orders the receiver before the sender too. MPI_Send may not wait.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
    memory[0] = 1;  // RACE
    hear(0);
  } else {
    CASE(MPI_Send, MPI_Ssend)(NULL, 0, MPI_INT, 1, 0, world);
    PUT(1, 0);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
