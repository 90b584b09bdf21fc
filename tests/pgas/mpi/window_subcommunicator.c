// ranks: 4
// A window of some ranks, in another order: its ranks are those of its communicator (3, 2, 1).
#include "case.h"

static void test(void) {
  MPI_Comm some;
  MPI_Comm_split(world, rank == 0 ? MPI_UNDEFINED : 1, -rank, &some);
  if (rank == 0) return;
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, some, &memory, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 1) PUT(0, 0);  // RACE
  if (rank == CASE(3, 2)) memory[0] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
  MPI_Comm_free(&some);
}
