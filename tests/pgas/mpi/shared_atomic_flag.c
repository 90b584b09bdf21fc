// ranks: 2
// In shared memory, a flag of C11 orders ranks as it orders threads: the store releases, the load acquires.
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
    __atomic_store_n(&first[0], 1, CASE(__ATOMIC_RELAXED, __ATOMIC_RELEASE));
  } else {
    while (__atomic_load_n(&first[0], CASE(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE)) == 0) sched_yield();
    use(first[9]);  // RACE
  }
  MPI_Win_unlock_all(window);
  close_window();
}
