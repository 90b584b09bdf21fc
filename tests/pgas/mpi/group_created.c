// ranks: 4
// Communicators by groups, made by all or by their members alone, and messages in them.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Group all, odd;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 2, (const int[]){3, 1}, &odd);  // rank 3 is 0 in it
  if (rank % 2 == 1) MPI_Comm_create_group(world, odd, 0, &made);
  MPI_Win_lock_all(0, window);
  if (rank == 1) {
    PUT(3, 0);  // RACE
    RIGHT(MPI_Win_flush(3, window));
    MPI_Send(ones, 1, MPI_INT, 0, 0, made);
  }
  if (rank == 3) {
    MPI_Recv(got, 1, MPI_INT, 1, 0, made, MPI_STATUS_IGNORE);
    use(memory[0]);  // RACE
  }
  MPI_Win_unlock_all(window);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Group_free(&all);
  MPI_Group_free(&odd);
  close_window();
}
