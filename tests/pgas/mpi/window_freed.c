// ranks: 2
// MPI_Win_free completes and is a barrier: behind it the memory is the rank's own.
#include "case.h"

static int table[COUNT];

static void test(void) {
  MPI_Win_create(table, sizeof(table), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) PUT(1, 0);  // RACE
  RACY(if (rank == 1) table[0] = 1);  // RACE
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  close_window();
  if (rank == 1) table[0] = 2;
}
