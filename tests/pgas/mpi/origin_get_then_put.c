// ranks: 3
// What is got from one rank is put to another: the get must have arrived.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    GET(1, 0);  // RACE
    RIGHT(MPI_Win_flush(1, window));
    MPI_Put(got, 1, MPI_INT, 2, 0, 1, MPI_INT, window);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
