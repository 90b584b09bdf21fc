// ranks: 2
// A shared-memory window: one rank stores into the other's part directly.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Aint bytes;
  int unit, *of_peer;
  MPI_Win_shared_query(window, 1 - rank, &bytes, &unit, &of_peer);
  MPI_Win_lock_all(0, window);
  if (rank == 0) of_peer[3] = 1;  // RACE
  MPI_Win_sync(window);
  RIGHT(MPI_Barrier(world));
  MPI_Win_sync(window);
  if (rank == 1) use(memory[3]);  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
