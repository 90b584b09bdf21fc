// ranks: 2
// What is done between the call of a nonblocking barrier and its MPI_Wait is not before it.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  RACY(MPI_Ibarrier(world, &request));
  if (rank == 0) {
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
  }
  RIGHT(MPI_Ibarrier(world, &request));
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (rank == 1) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
