// ranks: 3
// As programs do it: a communicator of the node, its shared window, and a barrier of it.
#include "case.h"

static void test(void) {
  MPI_Comm node;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(rank == 1 ? COUNT * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, node, &memory, &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, MPI_PROC_NULL, &bytes, &unit, &memory);  // the first that has memory
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) memory[0] = 1;  // RACE
  MPI_Win_sync(window);
  RIGHT(MPI_Barrier(node));
  MPI_Win_sync(window);
  if (rank == 2) use(memory[0]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
  MPI_Comm_free(&node);
}
