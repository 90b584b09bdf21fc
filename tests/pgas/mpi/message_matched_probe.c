// ranks: 2
// A message that was probed for and taken with MPI_Mrecv is one like others; those behind it keep their order.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Send(ones, 1, MPI_INT, 1, 0, world);
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    MPI_Send(ones, 1, MPI_INT, 1, 0, world);
  } else {
    MPI_Message message;
    MPI_Mprobe(0, 0, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    RACY(use(memory[0]));  // RACE
    MPI_Recv(got, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    RIGHT(use(memory[0]));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
