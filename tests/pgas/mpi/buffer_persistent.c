// ranks: 2
// A persistent request has its buffer from MPI_Start to MPI_Wait, not before and not behind.
#include "case.h"

static void test(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_init(ones, 4, MPI_INT, 1, 0, world, &request);
  } else {
    MPI_Recv_init(got, 4, MPI_INT, 0, 0, world, &request);
  }
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) ones[0] = i;
    MPI_Startall(1, &request);  // RACE
    if (rank == 0) RACY(ones[1] = i);  // RACE
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) use(got[0]);
  }
  MPI_Request_free(&request);
}
