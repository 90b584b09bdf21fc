// ranks: 3
// A spin lock of the program's own in shared memory.
#include "case.h"

static void test(void) {
  MPI_Win_allocate_shared(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  MPI_Aint bytes;
  int unit, *first;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  if (rank == 0) memset(memory, 0, COUNT * sizeof(int));
  MPI_Win_lock_all(0, window);
  MPI_Barrier(world);  // some libraries let nobody have the lock while a rank that has it makes no call
  for (int i = 0; i < 20; ++i) {
    int free = 0;
    while (!__atomic_compare_exchange_n(&first[0], &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      free = 0;
      sched_yield();
    }
    first[5] += 1;  // RACE RACE
    CASE(__atomic_exchange_n(&first[0], 0, __ATOMIC_RELAXED), __atomic_store_n(&first[0], 0, __ATOMIC_RELEASE));
  }
  MPI_Win_unlock_all(window);
  close_window();
}
