// ranks: 3
// From rank to rank: what an update adds to is still published, what a relaxed store replaces is not.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Aint bytes;
  int unit, *first;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  if (rank == 0) memset(memory, 0, COUNT * sizeof(int));
  MPI_Win_lock_all(0, window);
  MPI_Barrier(world);  // some libraries let nobody have the lock while a rank that has it makes no call
  if (rank == 0) {
    first[9] = 1;  // RACE
    __atomic_store_n(&first[0], 1, __ATOMIC_RELEASE);
  }
  if (rank == 1) {
    while (__atomic_load_n(&first[0], __ATOMIC_RELAXED) == 0) sched_yield();
    CASE(__atomic_store_n(&first[0], 2, __ATOMIC_RELAXED), __atomic_fetch_add(&first[0], 1, __ATOMIC_RELAXED));
  }
  if (rank == 2) {
    while (__atomic_load_n(&first[0], __ATOMIC_RELAXED) != 2) sched_yield();
    use(__atomic_load_n(&first[0], __ATOMIC_ACQUIRE));
    use(first[9]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
