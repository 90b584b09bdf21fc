// ranks: 2
// A buffered send is local: it carries order, and is not waited for.
#include "case.h"

static char attached[1000 + MPI_BSEND_OVERHEAD];

static void test(void) {
  open_window();
  MPI_Win_lock_all(0, window);
  MPI_Buffer_attach(attached, sizeof(attached));
  if (rank == 0) {
    RACY(MPI_Bsend(ones, 1, MPI_INT, 1, 0, world));
    PUT(1, 0);  // RACE
    MPI_Win_flush(1, window);
    RIGHT(MPI_Bsend(ones, 1, MPI_INT, 1, 0, world));
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    use(memory[0]);  // RACE
  }
  void* buffer;
  int bytes;
  MPI_Buffer_detach(&buffer, &bytes);
  MPI_Win_unlock_all(window);
  close_window();
}
