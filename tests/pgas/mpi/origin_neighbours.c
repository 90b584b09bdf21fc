// ranks: 2
// A buffer ends where it ends: the byte behind is free.
#include "case.h"

static char bytes[256];

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Get(bytes + 50, 100, MPI_BYTE, 1, 0, 100, MPI_BYTE, window);  // RACE
    bytes[49] = 1;
    bytes[CASE(149, 150)] = 1;  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
