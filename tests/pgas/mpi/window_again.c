// ranks: 2
// Memory of a window that was freed, in a new one: the old accesses are past, the new ones count.
#include "case.h"

static int table[COUNT];

static void test(void) {
  for (int i = 0; i < 3; ++i) {
    MPI_Win_create(table, sizeof(table), sizeof(int), MPI_INFO_NULL, world, &window);
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
      PUT(1, 0);  // RACE
      MPI_Win_unlock(1, window);
    }
    RACY(if (rank == 1 && i == 2) use(table[0]));  // RACE
    close_window();
    if (rank == 1) table[0] = 2;
  }
}
