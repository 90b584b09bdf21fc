// ranks: 3
// Atomic operations of ranks on shared memory do not race with each other; with a plain store they do.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Aint bytes;
  int unit, *first;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  if (rank == 0) memset(memory, 0, COUNT * sizeof(int));
  MPI_Barrier(world);
  MPI_Win_lock_all(0, window);
  if (rank < 2) __atomic_fetch_add(&first[4], 1, __ATOMIC_RELAXED);  // RACE
  if (rank == 2) CASE(first[4] = 1, __atomic_fetch_add(&first[4], 1, __ATOMIC_RELAXED));  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
