// ranks: 3
// An exclusive lock that is taken after another's was given up brings what that one knew, also of memory elsewhere.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win mutex;
  int* none;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &none, &mutex);
  if (rank != 2) {
    for (int i = 0; i < 20; ++i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, mutex);
      MPI_Get(got, 1, MPI_INT, 2, 0, 1, MPI_INT, mutex);
      MPI_Win_flush(2, mutex);
      RACY(MPI_Win_unlock(2, mutex));
      MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
      PUT(2, 0);  // RACE RACE
      MPI_Win_unlock(2, window);
      RIGHT(MPI_Win_unlock(2, mutex));
    }
  }
  MPI_Win_free(&mutex);
  close_window();
}
