// ranks: 2
// A buffer that MPI_Isend may still read from.
#include "case.h"

static void test(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(ones, 4, MPI_INT, 1, 0, world, &request);  // RACE
    use(ones[0]);
    RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
    ones[3] = 5;  // RACE
    RACY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    MPI_Recv(got, 4, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
  }
}
