// ranks: 3
// Five hundred messages, some received out of their order by tag, some from anybody: each finds its own.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 250; ++i) {
    if (rank == 0) {
      PUT(1, i % COUNT);  // RACE
      if (CASE(i != 200, 1)) MPI_Win_flush(1, window);
      MPI_Send(&i, 1, MPI_INT, 1, i % 3, world);
      MPI_Win_flush(1, window);
      hear(1);
    } else if (rank == 1) {
      MPI_Recv(got, 1, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, i % 5 ? i % 3 : MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
      use(memory[i % COUNT]);  // RACE
      tell(0);
    }
  }
  MPI_Win_unlock_all(window);
  close_window();
}
