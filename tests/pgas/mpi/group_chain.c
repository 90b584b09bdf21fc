// ranks: 3
// Barriers of 0 and 1, then of 1 and 2, order 0 before 2; in the other order they do not.
#include "case.h"

static void test(void) {
  open_window();
  MPI_Comm low, high;
  MPI_Comm_split(world, rank < 2 ? 0 : MPI_UNDEFINED, 0, &low);
  MPI_Comm_split(world, rank > 0 ? 0 : MPI_UNDEFINED, 0, &high);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(2, 0);  // RACE
  MPI_Win_flush_all(window);
  RACY(if (rank > 0) MPI_Barrier(high));
  if (rank < 2) MPI_Barrier(low);
  RIGHT(if (rank > 0) MPI_Barrier(high));
  if (rank == 2) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  if (rank < 2) MPI_Comm_free(&low);
  if (rank > 0) MPI_Comm_free(&high);
  close_window();
}
