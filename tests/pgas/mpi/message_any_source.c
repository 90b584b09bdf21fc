// ranks: 4
// Messages from any source, with any tag: each orders the rank it came from.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank != 0) {
    PUT(0, rank);  // RACE
    MPI_Win_flush(0, window);
    MPI_Send(ones, 1, MPI_INT, 0, rank, world);
  } else {
    for (int i = 1; i < size; ++i) {
      MPI_Status status;
      MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
      const int other = status.MPI_SOURCE % 3 + 1;
      if (i == 1) use(memory[CASE(other, status.MPI_TAG)]);  // RACE
    }
    for (int i = 1; i < size; ++i) use(memory[i]);
  }
  MPI_Win_unlock_all(window);
  close_window();
}
