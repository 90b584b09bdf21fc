// ranks: 2
// The buffer of MPI_Ibcast is the library's until MPI_Wait.
#include "case.h"

static void test(void) {
  MPI_Request request;
  MPI_Ibcast(rank == 0 ? ones : got, 4, MPI_INT, 0, world, &request);  // RACE
  RACY(if (rank == 1) use(got[0]));  // RACE
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) use(got[0]);
}
