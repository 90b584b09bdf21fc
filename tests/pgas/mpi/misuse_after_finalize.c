// ranks: 2
// Nothing is called behind MPI_Finalize.
#include "case.h"
#include <unistd.h>

static void test(void) {
  open_window();
  MPI_Win kept = window;
  MPI_Win_fence(0, window);
  RACY(close_window(); MPI_Finalize());
  if (rank == 0) MPI_Put(ones, 1, MPI_INT, 1, 0, 1, MPI_INT, kept);  // MISUSE rma-not-running
  RACY(_exit(0));
  MPI_Win_fence(0, window);
  close_window();
}
