// ranks: 2
// Two receives into one buffer.
#include "case.h"

static void test(void) {
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Irecv(got, 4, MPI_INT, 1, 0, world, &requests[0]);  // RACE
    MPI_Irecv(got + CASE(3, 4), 4, MPI_INT, 1, 1, world, &requests[1]);  // RACE
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Send(ones, 4, MPI_INT, 0, 0, world);
    MPI_Send(ones, 4, MPI_INT, 0, 1, world);
  }
}
