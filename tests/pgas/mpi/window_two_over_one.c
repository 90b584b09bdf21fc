// ranks: 3
// Two windows over the same memory, by different ranks.
#include "case.h"

static int table[COUNT];

static void test(void) {
  MPI_Win other;
  MPI_Win_create(table, sizeof(table), sizeof(int), MPI_INFO_NULL, world, &window);
  MPI_Win_create(table, sizeof(table), sizeof(int), MPI_INFO_NULL, world, &other);
  MPI_Win_lock_all(0, window);
  MPI_Win_lock_all(0, other);
  if (rank == 0) PUT(1, 0);  // RACE
  if (rank == 2) MPI_Put(ones, 1, MPI_INT, 1, CASE(0, 1), 1, MPI_INT, other);  // RACE
  MPI_Win_unlock_all(other);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&other);
  close_window();
}
