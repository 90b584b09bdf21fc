// ranks: 2
// Persistent requests: each start is a message of its own.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_init(ones, 1, MPI_INT, 1, 3, world, &request);
  } else {
    MPI_Recv_init(got, 1, MPI_INT, 0, 3, world, &request);
  }
  for (int i = 0; i < 5; ++i) {
    if (rank == 0) {
      PUT(1, i);  // RACE
      MPI_Win_flush(1, window);
    }
    MPI_Start(&request);
    if (rank == 1 && i == 3) RACY(use(memory[3]));  // RACE
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) use(memory[i]);
  }
  MPI_Request_free(&request);
  MPI_Win_unlock_all(window);
  close_window();
}
