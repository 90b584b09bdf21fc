// ranks: 2
// Two windows that overlap in a part: the target's store is in what only the second has.
#include "case.h"

static int table[COUNT];

static void test(void) {
  MPI_Win older;
  MPI_Win_create(table, 16 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &older);
  MPI_Win_create(table + 8, 16 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) PUT(1, 12);  // RACE
  if (rank == 1) table[CASE(20, 12)] = 1;  // RACE
  MPI_Win_unlock_all(window);
  close_window();
  MPI_Win_free(&older);
}
