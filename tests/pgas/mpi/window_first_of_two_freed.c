// ranks: 2
// Of two windows over the same memory the older is freed: the other is still a window.
#include "case.h"

static int table[COUNT];

static void test(void) {
  MPI_Win older;
  MPI_Win_create(table, sizeof(table), sizeof(int), MPI_INFO_NULL, world, &older);
  MPI_Win_create(table, sizeof(table), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_free(&older);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  if (rank == 1) table[CASE(0, 1)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
}
