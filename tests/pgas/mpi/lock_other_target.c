// ranks: 3
// A lock is of one target: held at another it protects nothing. The get and flush make sure that the lock is held (11.5.3).
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win mutex;
  int* none;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &none, &mutex);
  MPI_Win_lock_all(0, window);
  if (rank != 2) {
    const int at = CASE(rank, 0);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at, 0, mutex);
    MPI_Get(got, 1, MPI_INT, at, 0, 1, MPI_INT, mutex);
    MPI_Win_flush(at, mutex);
    PUT(2, 0);  // RACE RACE
    MPI_Win_flush(2, window);
    MPI_Win_unlock(at, mutex);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&mutex);
  close_window();
}
