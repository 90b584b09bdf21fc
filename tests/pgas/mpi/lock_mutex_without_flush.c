// ranks: 3
// A lock of another window is a mutex, but completes nothing in this one.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win mutex;
  int* none;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &none, &mutex);
  MPI_Win_lock_all(0, window);
  if (rank != 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, mutex);
    MPI_Get(got, 1, MPI_INT, 2, 0, 1, MPI_INT, mutex);
    MPI_Win_flush(2, mutex);
    PUT(2, 0);  // RACE RACE
    RIGHT(MPI_Win_flush(2, window));
    MPI_Win_unlock(2, mutex);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&mutex);
  close_window();
}
