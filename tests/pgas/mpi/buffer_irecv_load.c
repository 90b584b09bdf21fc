// ranks: 2
// A buffer that MPI_Irecv may still write to.
#include "case.h"

static void test(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(got, 4, MPI_INT, 1, 0, world, &request);  // RACE
    RACY(use(got[3]));  // RACE
    for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    use(got[3]);
  } else {
    MPI_Send(ones, 4, MPI_INT, 0, 0, world);
  }
}
